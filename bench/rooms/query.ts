// Projections of a room of many registers: built from nothing, built again after some writes, read, built as of long ago.
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import { mustHold, timed } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import { type Figures, median } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const KEYS = 100_000;
/** Share of the keys that have a row, one in so many. */
const PART = 2;
const WRITES = 100;
const PAGES = 20;
/** Writes in one node. */
const NODE = 1000;

const columns: readonly Column[] = [
  { figure: 'build_ms', title: 'build ms', digits: 0 },
  { figure: 'stall_ms', title: 'others wait at most ms', digits: 1 },
  { figure: 'rebuild_ms', title: 'again after 100 writes ms', digits: 1 },
  { figure: 'page_ms', title: 'page of 1,000 rows ms', digits: 2 },
  { figure: 'past_ms', title: 'as of before ms', digits: 0 },
  { figure: 'past_stall_ms', title: 'others wait at most ms', digits: 1 },
  { figure: 'replay_ms', title: 'replay of 100 nodes ms', digits: 1 },
];

export const queryBench: Bench = {
  name: 'query',
  summary: 'projections of a room of 100,000 registers: build, build again, pages, the past',
  columns,
  run: runQuery,
};

async function runQuery(options: BenchOptions): Promise<readonly Row[]> {
  const keys = Math.min(options.edits ?? KEYS, KEYS);
  const contender = { name: 'weft builds projections', run: () => queryRun(keys) };
  const about = { lib: 'weft', version: WEFT_VERSION, form: '', notes: [`${keys} keys`] };
  return runEntrants('query', 'registers', [{ ...about, contender }], options);
}

async function queryRun(keys: number): Promise<Figures> {
  const host = createHost({ store: memoryStore() });
  const room = await host.room('room');
  for (let from = 0; from < keys; from += NODE) await room.transact(() => ({ writes: writes(from, keys), result: 0 }));
  const { seq } = room;
  const ask = async (command: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> => {
    const { events } = await host.submit({ room_id: 'room', command });
    const [event] = Object.values(events[0]!);
    mustHold(event!['reason_class'] === undefined, JSON.stringify(event));
    return event!;
  };
  const descriptor = { prefix: 'a/', where: [{ field: 'n', op: 'ge', value: 0 }] };
  await ask({ RegisterQuerySpec: { query_spec_id: 'q', version: '1', descriptor } });
  const build = (id: string, target: object) =>
    ask({ BuildProjection: { projection_id: id, query_spec_id: 'q', target_checkpoint: target } });

  const first = await stalling(() => build('p', { selector: 'latest' }));
  for (let i = 0; i < WRITES; i += 1) await room.set(keyOf(i), { n: keys + i });
  const again = await timed(() => build('p', { selector: 'latest' }));
  mustHold(again.result['digest'] !== first.result['digest'], 'what was written changes no row');
  const past = await stalling(() => build('past', { selector: 'seq', canonical_seq: seq }));
  mustHold(past.result['digest'] === first.result['digest'], 'the rows of then are others now');

  const pages: number[] = [];
  let token: unknown;
  for (let page = 0; page < PAGES; page += 1) {
    const more = token === undefined ? {} : { page_token: token };
    const { ms, result } = await timed(() => ask({ ReadProjection: { projection_id: 'p', limit: 1000, ...more } }));
    pages.push(ms);
    token = result['next_page_token'];
    if (token === null) break;
  }
  const replay = await timed(() => ask({ ReplayReadRange: { key_prefix: 'a/', cursor: `seq:${seq}` } }));
  await host.close();
  return {
    build_ms: first.ms,
    stall_ms: first.stallMs,
    rebuild_ms: again.ms,
    page_ms: median(pages),
    past_ms: past.ms,
    past_stall_ms: past.stallMs,
    replay_ms: replay.ms,
  };
}

const keyOf = (number: number): string => `${number % PART === 0 ? 'a' : 'b'}/${number}`;

function writes(from: number, keys: number): { key: string; value: unknown }[] {
  const count = Math.min(NODE, keys - from);
  return Array.from({ length: count }, (_, i) => ({ key: keyOf(from + i), value: { n: from + i } }));
}

/** Time of an action, and the longest stall meanwhile, in which nothing else could run. */
async function stalling<T>(action: () => Promise<T>) {
  let stallMs = 0;
  let isRunning = true;
  let last = performance.now();
  const look = (): void => {
    stallMs = Math.max(stallMs, performance.now() - last);
    last = performance.now();
    if (isRunning) setImmediate(look);
  };
  const { ms, result } = await timed(() => {
    last = performance.now();
    setImmediate(look);
    return action();
  });
  isRunning = false;
  return { ms, result, stallMs };
}
