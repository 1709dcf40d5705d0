// A server starts on a folder with many rooms and much history.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import { ServerProcess } from '../serving/server-process.js';
import { findServer, versionOf } from '../serving/server.js';
import type { Figures } from '../measuring/statistics.js';

const ROOMS = 1000;
const RECORD_BYTES = 1_000_000;
/** Records of each room. */
const RECORDS = 1;

const columns: readonly Column[] = [
  { figure: 'log_gb', title: 'GB of log', digits: 1 },
  { figure: 'listening_ms', title: 'ms to listening, from nothing', digits: 0 },
  { figure: 'empty_ms', title: 'the same with no room', digits: 0 },
];

const goals: readonly Goal[] = [{ figure: 'listening_ms', of: 'weft', most: 1000 }];

export const restartBench: Bench = {
  name: 'restart',
  summary: `a server starts on ${ROOMS} rooms of 1 MB each; --edits 10 makes it 10 MB`,
  columns,
  goals,
  run: runRestart,
};

async function runRestart(options: BenchOptions): Promise<readonly Row[]> {
  const base = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const [full, empty] = [join(base, 'full'), join(base, 'empty')];
  const server = findServer('weft');
  try {
    const records = options.edits ?? RECORDS;
    options.progress(`writing ${records * ROOMS} MB`);
    await fill(full, records);
    const run = async (): Promise<Figures> => ({
      log_gb: (records * ROOMS * RECORD_BYTES) / 1e9,
      listening_ms: await start(full),
      empty_ms: await start(empty),
    });
    const about = { lib: server.name, version: versionOf(server), form: '', notes: [] };
    return await runEntrants('restart', `${ROOMS} rooms`, [{ ...about, contender: { name: 'weft', run } }], options);
  } finally {
    await rm(base, { recursive: true });
  }

  async function start(folder: string): Promise<number> {
    const started = performance.now();
    const running = await ServerProcess.start(server, { folder });
    const ms = performance.now() - started;
    await running.end();
    return ms;
  }
}

/** Fills a store with records, whose content nobody looks at before somebody enters. */
async function fill(folder: string, records: number): Promise<void> {
  const store = levelStore(folder);
  await store.open();
  for (let room = 0; room < ROOMS; room++)
    for (let record = 0; record < records; record++)
      await store.log.append(`room${room}` as RoomId, record, { count: 1, pack: randomBytes(RECORD_BYTES) });
  await store.close();
}
