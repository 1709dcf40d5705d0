/** The page of the studio: opened on a long record, while 500 units are at work, and on a change of 30,000 lines. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Host } from '@weft/core';
import type { Browser } from 'playwright-core';
import { mustHold } from '../measuring/harness.js';
import { type Figures, percentile } from '../measuring/statistics.js';
import { openStudio, writeRecord } from '../studio/studio.js';
import { spawnAgents, tellOfAgents } from '../weft/record.js';
import { type Shows, opened, openedAgain } from './opened.js';
import { TimedPage, inFrames } from './page.js';
import { frameFigures } from './timeline.js';

const run = promisify(execFile);
const EVENTS_PER_UNIT = 10;
const WARM = 20;
/** Work units of the long record, all open. */
const UNITS = 200;
const PER_SECOND = 500;
const SECONDS = 5;
const SCROLLS = 300;
/** Pixels in one frame: as fast as a wheel is turned by hand. */
const SCROLLED = 120;

/** The inbox of a studio with so many events, of a browser that was never there. */
export async function openInbox(browser: Browser, events: number, agents: number): Promise<Figures> {
  return longRunning(events, agents, ({ link }) => opened(browser, link(), showsAgents));
}

/** A studio that has run for a while: the first reads of a record find out what later ones follow. */
async function longRunning(
  events: number,
  agents: number,
  measure: (served: Served) => Promise<Figures>,
): Promise<Figures> {
  return withStudio(events, UNITS, async (served) => {
    await spawnAgents(served.host, agents);
    for (let times = 0; times < WARM; times++) for (const path of ['attention', 'agents']) await served.get(path);
    return measure(served);
  });
}

/** That inbox in one more tab of a browser that has it open. */
export async function openInboxAgain(browser: Browser, events: number, agents: number): Promise<Figures> {
  return longRunning(events, agents, ({ link, origin }) => openedAgain(browser, link(), origin, showsAgents));
}

const showsAgents: Shows = { text: 'agent-at-work-0 begins' };

/** Events that change what agents are said to do: how old each is when the page shows it, or something newer in its place. */
export async function watchUnits(browser: Browser, units: number): Promise<Figures> {
  return withStudio(units * EVENTS_PER_UNIT, units, async ({ host, link }) => {
    await spawnAgents(host, units);
    const timed = await TimedPage.in(browser);
    try {
      const { page } = timed;
      await page.goto(link());
      await page.getByText(`agent-at-work-${units - 1} begins`).waitFor();
      await page.evaluate(WATCH);
      let told: readonly number[] = [];
      const main = await timed.timeline(async () => {
        const followed = inFrames(page, SECONDS * 60, '');
        told = await tellOfAgents(host, units, PER_SECOND * SECONDS, PER_SECOND);
        await followed;
        // The page's policy takes no text as code, which `waitForFunction` would bring.
        while (!(await page.evaluate(`globalThis.seen.has(${PER_SECOND * SECONDS - 1})`))) await delay(20);
      });
      const seen = (await page.evaluate('[...globalThis.seen]')) as [number, number][];
      const ages = agesOf(told, seen, units);
      return { shown_p95_ms: percentile(ages, 0.95), ...frameFigures(main), heap_mb: await timed.heapMb() };
    } finally {
      await timed.close();
    }
  });
}

/** Runs in the page: which numbers of `spawnAgents` and `tellOfAgents` it shows, and when it did first, in the frame after the document changed. */
const WATCH = `(() => {
  const seen = (globalThis.seen = new Map());
  const look = () => {
    const now = Date.now();
    for (const row of document.querySelectorAll('[aria-labelledby=moving] li')) {
      const [, number] = / · event (\\d+)/.exec(row.textContent) ?? [];
      if (number !== undefined && !seen.has(Number(number))) seen.set(Number(number), now);
    }
  };
  new MutationObserver(() => requestAnimationFrame(look)).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

/** How old each event was when the page showed it, or a newer one of the same agent. */
function agesOf(told: readonly number[], seen: readonly (readonly [number, number])[], agents: number): number[] {
  const shown = new Map(seen);
  const last: number[] = [];
  const ages: number[] = [];
  for (let number = told.length - 1; number >= 0; number--) {
    const agent = number % agents;
    last[agent] = Math.min(shown.get(number) ?? Infinity, last[agent] ?? Infinity);
    ages.push(last[agent] - (told[number] ?? 0));
  }
  return ages;
}

/** A review of one file of so many changed lines: until its first rows are there, and how frames go while it is scrolled. */
export async function scrollDiff(browser: Browser, lines: number): Promise<Figures> {
  return withStudio(100, 10, async ({ ask, link, origin, folder }) => {
    const repository = join(folder, 'user');
    await run('git', ['init', '--quiet', '--initial-branch=main', repository]);
    const textOf = (word: string) => Array.from({ length: lines }, (_, at) => `const ${word}${at} = 0;\n`).join('');
    await writeFile(join(repository, 'many.ts'), textOf('a'));
    const git = (...args: string[]) =>
      run('git', ['-C', repository, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args]);
    await git('add', '--all');
    await git('commit', '--quiet', '--message=Many lines');
    const { repositoryId } = await ask('repositories', { path: repository });
    const { workUnitId, branchId } = await ask('workunits', { goal: 'Change many lines', repositoryId });
    await ask(`branches/${branchId}/resync-files`, { files: [{ path: 'many.ts', content: textOf('b') }] });
    const { proposalId } = await ask('merges', {
      sourceBranch: branchId,
      targetBranch: 'main',
      summary: 'many',
      workUnitId,
    });
    const timed = await TimedPage.in(browser);
    try {
      const { page } = timed;
      await page.goto(link());
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      const began = performance.now();
      await page.goto(`${origin}/reviews/${proposalId}`);
      await page.locator('.diff-row').first().waitFor();
      const drawn_ms = performance.now() - began;
      await page.locator('.diff-row .is-k').first().waitFor();
      const main = await timed.timeline(() => inFrames(page, SCROLLS, `scrollBy(0, ${SCROLLED})`));
      return { drawn_ms, ...frameFigures(main), heap_mb: await timed.heapMb() };
    } finally {
      await timed.close();
    }
  });
}

interface Served {
  readonly host: Host;
  readonly folder: string;
  readonly origin: string;
  link(): string;
  get(path: string): Promise<void>;
  ask(path: string, body: object): Promise<Record<string, string>>;
}

async function withStudio(
  events: number,
  units: number,
  measure: (served: Served) => Promise<Figures>,
): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  await writeRecord(folder, events, units, 'gone');
  const { host, studio, token } = await openStudio(folder);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const origin = new URL(studio.url).origin;
  const ask = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await fetch(`${studio.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    mustHold(answer.ok, `${path} is answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Record<string, string>;
  };
  try {
    return await measure({
      host,
      folder,
      origin,
      link: () => studio.link(),
      get: async (path) => {
        const answer = await fetch(`${studio.url}/${path}`, { headers });
        mustHold(answer.ok, `${path} is answered ${answer.status}`);
        await answer.arrayBuffer();
      },
      ask,
    });
  } finally {
    await studio.close();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}
