/** A page that is opened by a browser which was never there: bytes, paints, long tasks. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { mustHold } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';
import { TimedPage, newContext } from './page.js';
import { openingFigures } from './timeline.js';

/** Longer than a page needs to come to rest after what it shows first. */
const REST_MS = 1500;

/** Words by which a page shows what it is for; or, of a page of others, when it has come to rest. */
export type Shows = { readonly text: string } | ((page: Page) => Promise<unknown>);

/** A page that is one word, served from this machine: what Chromium takes for any page, whatever is on it. */
export function openNothing(browser: Browser): Promise<Figures> {
  return withNothing((address) => opened(browser, address, HERE));
}

/** That page in one more tab of a browser that has it open. */
export function openNothingAgain(browser: Browser): Promise<Figures> {
  return withNothing((address) => openedAgain(browser, address, address, HERE));
}

const HERE: Shows = { text: 'Here' };

async function withNothing(measure: (address: string) => Promise<Figures>): Promise<Figures> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html><p>Here</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await measure(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export async function opened(browser: Browser, address: string, shows: Shows): Promise<Figures> {
  const timed = await TimedPage.in(browser);
  try {
    return await figuresOf(timed, address, shows);
  } finally {
    await timed.close();
  }
}

/** What one more tab takes, in a browser in which `first` was opened and stays open. */
export async function openedAgain(browser: Browser, first: string, address: string, shows: Shows): Promise<Figures> {
  const context = await newContext(browser);
  try {
    const page = await context.newPage();
    await page.goto(first);
    await (typeof shows === 'function' ? shows(page) : page.getByText(shows.text).waitFor());
    await page.waitForTimeout(REST_MS);
    return await figuresOf(await TimedPage.of(context), address, shows);
  } finally {
    await context.close();
  }
}

/**
 * Runs in the page, before anything of it: when its words stood in a frame that was drawn. The page itself says so, since who asks it
 * from outside does so a few times a second, by scripts of his own that hold up what is measured.
 */
const watchFor = (text: string): string => `(() => {
  const watch = new MutationObserver(() => {
    if (!document.body?.textContent.includes(${JSON.stringify(text)})) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => (globalThis.drawnAt = Date.now())));
  });
  watch.observe(document, { subtree: true, childList: true, characterData: true });
})()`;

async function figuresOf(timed: TimedPage, address: string, shows: Shows): Promise<Figures> {
  const { page } = timed;
  if (typeof shows !== 'function') await page.addInitScript(watchFor(shows.text));
  let drawn_ms = 0;
  const main = await timed.timeline(async () => {
    const began = Date.now();
    await page.goto(address, { waitUntil: 'commit' });
    if (typeof shows === 'function') {
      await shows(page);
      drawn_ms = Date.now() - began;
    }
    await page.waitForTimeout(REST_MS);
    if (typeof shows === 'function') return;
    await page.getByText(shows.text).first().waitFor();
    drawn_ms = Number(await page.evaluate('globalThis.drawnAt')) - began;
    mustHold(drawn_ms > 0, 'the page has not said when it was drawn');
  });
  const figures = openingFigures(main);
  const kb = (wanted: readonly { readonly bytes: number }[]): number =>
    wanted.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
  const scripts = timed.loaded.filter(({ isScript }) => isScript);
  const painted = (main.began + (figures['first_paint_ms'] ?? 0) * 1000) / 1e6;
  return {
    ...figures,
    drawn_ms,
    requests: timed.loaded.length,
    first_script_kb: kb(scripts.filter(({ at }) => at <= painted)),
    script_kb: kb(scripts),
    all_kb: kb(timed.loaded),
    heap_mb: await timed.heapMb(),
  };
}
