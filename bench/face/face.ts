// The page of the studio in Chromium: opened beside pages of others, with 500 units at work, on a long change and a large graph.
import type { Browser } from 'playwright-core';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { drawGraph } from './graph-scene.js';
import { openNothing, openNothingAgain, opened } from './opened.js';
import { startChromium } from './page.js';
import { rivalPages } from './rivals.js';
import { openInbox, openInboxAgain, scrollDiff, watchUnits } from './studio-scenes.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import type { Figures } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const EVENTS = 100_000;
const AGENTS = 20;
const UNITS = 500;
const LINES = 15_000;
const NODES = 100_000;

const columns: readonly Column[] = [
  { figure: 'first_script_kb', title: 'script KB before first paint', digits: 1 },
  { figure: 'script_kb', title: 'script KB', digits: 1 },
  { figure: 'all_kb', title: 'all KB', digits: 1 },
  { figure: 'requests', title: 'requests', digits: 0 },
  { figure: 'first_paint_ms', title: 'first paint ms', digits: 0 },
  { figure: 'largest_paint_ms', title: 'largest paint ms', digits: 0 },
  { figure: 'drawn_ms', title: 'drawn ms', digits: 0 },
  { figure: 'long_tasks', title: 'tasks over 50 ms', digits: 0 },
  { figure: 'blocked_ms', title: 'blocked ms', digits: 0 },
  { figure: 'busy_ms', title: 'main thread ms', digits: 0 },
  { figure: 'shown_p95_ms', title: 'event to pixels p95 ms', digits: 0 },
  { figure: 'frame_p95_ms', title: 'frames apart p95 ms', digits: 1 },
  { figure: 'work_p95_ms', title: 'work a frame p95 ms', digits: 1 },
  { figure: 'heap_mb', title: 'heap MB', digits: 1 },
];

const goals: readonly Goal[] = [
  { figure: 'first_script_kb', of: 'weft', most: 60 },
  { figure: 'drawn_ms', of: 'weft', most: 300 },
  { figure: 'drawn_ms', of: 'weft, one more tab', most: 300 },
  { figure: 'shown_p95_ms', of: 'weft, 500 units', most: 150 },
  { figure: 'work_p95_ms', of: 'weft, 500 units', most: 16 },
  { figure: 'work_p95_ms', of: 'weft, long change', most: 16 },
  { figure: 'work_p95_ms', of: 'weft, large graph', most: 16 },
];

export const faceBench: Bench = {
  name: 'face',
  summary: `the page in Chromium: opened on ${EVENTS} events, ${UNITS} units at work, a change of ${2 * LINES} lines, a graph of ${NODES} nodes`,
  columns,
  goals,
  run: runFace,
};

async function runFace(options: BenchOptions): Promise<readonly Row[]> {
  const { rivals, libs, traces, edits = EVENTS } = options;
  const browser = await startChromium();
  const at = (most: number): number => Math.min(most, edits);
  const weft = (lib: string, note: string, run: () => Promise<Figures>): Entrant =>
    entrant(lib, WEFT_VERSION, note, run);
  const scenes: Readonly<Record<string, () => readonly Entrant[]>> = {
    opening: () => [
      entrant('nothing', '', 'a page of one word: what Chromium itself takes here', () => openNothing(browser)),
      weft('weft', `the inbox, ${edits} events, ${AGENTS} agents at work`, () => openInbox(browser, edits, AGENTS)),
      ...(rivals ? openedRivals(browser) : []),
    ],
    again: () => [
      entrant('nothing, one more tab', '', 'a page of one word', () => openNothingAgain(browser)),
      weft('weft, one more tab', `the inbox, ${edits} events, ${AGENTS} agents at work`, () =>
        openInboxAgain(browser, edits, AGENTS),
      ),
    ],
    live: () => [weft('weft, 500 units', '500 events a second', () => watchUnits(browser, at(UNITS)))],
    diff: () => [weft('weft, long change', '120 pixels a frame', () => scrollDiff(browser, at(LINES)))],
    graph: () => [weft('weft, large graph', 'moved and zoomed in each frame', () => drawGraph(browser, at(NODES)))],
  };
  const rows: Row[] = [];
  try {
    for (const [scene, entrants] of Object.entries(scenes)) {
      if (traces.length > 0 && !traces.includes(scene)) continue;
      const taking = entrants().filter(({ lib }) => libs.length === 0 || libs.includes(lib));
      rows.push(...(await runEntrants('face', scene, taking, options)));
    }
  } finally {
    await browser.close();
  }
  return rows;
}

function openedRivals(browser: Browser): readonly Entrant[] {
  return rivalPages().map(({ lib, version, note, serve }) =>
    entrant(lib, version, note, () =>
      serve((address) => opened(browser, address, (page) => page.waitForLoadState('networkidle'))),
    ),
  );
}

function entrant(lib: string, version: string, note: string, run: () => Promise<Figures>): Entrant {
  return { lib, version, form: '', notes: [note], contender: { name: lib, run } };
}
