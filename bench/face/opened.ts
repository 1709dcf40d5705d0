/** A page that is opened by a browser which was never there: bytes, paints, long tasks. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import type { Figures } from '../measuring/statistics.js';
import { TimedPage, newContext } from './page.js';
import { openingFigures } from './timeline.js';

/** Longer than a page needs to come to rest after what it shows first. */
const REST_MS = 1500;

/** A page that is one word, served from this machine: what Chromium takes for any page, whatever is on it. */
export function openNothing(browser: Browser): Promise<Figures> {
  return withNothing((address) => opened(browser, address, (page) => page.getByText('Here').waitFor()));
}

/** That page in one more tab of a browser that has it open. */
export function openNothingAgain(browser: Browser): Promise<Figures> {
  return withNothing((address) => openedAgain(browser, address, address, (page) => page.getByText('Here').waitFor()));
}

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

/** `drawn` answers when what the page is for can be seen. */
export async function opened(
  browser: Browser,
  address: string,
  drawn: (page: Page) => Promise<unknown>,
): Promise<Figures> {
  const timed = await TimedPage.in(browser);
  try {
    return await figuresOf(timed, address, drawn);
  } finally {
    await timed.close();
  }
}

/** What one more tab takes, in a browser in which `first` was opened and stays open. */
export async function openedAgain(
  browser: Browser,
  first: string,
  address: string,
  drawn: (page: Page) => Promise<unknown>,
): Promise<Figures> {
  const context = await newContext(browser);
  try {
    const page = await context.newPage();
    await page.goto(first);
    await drawn(page);
    await page.waitForTimeout(REST_MS);
    return await figuresOf(await TimedPage.of(context), address, drawn);
  } finally {
    await context.close();
  }
}

async function figuresOf(timed: TimedPage, address: string, drawn: (page: Page) => Promise<unknown>): Promise<Figures> {
  const { page } = timed;
  let drawn_ms = 0;
  const main = await timed.timeline(async () => {
    const began = performance.now();
    await page.goto(address, { waitUntil: 'commit' });
    await drawn(page);
    drawn_ms = performance.now() - began;
    await page.waitForTimeout(REST_MS);
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
