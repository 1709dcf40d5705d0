// What rooms in PostgreSQL cost beside rooms in a folder, and what several processes on one database do, in one run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Store, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { postgresStore } from '@weft/core/postgres';
import { PostgresServer } from '../serving/machine-servers.js';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { PROCESSES, measureProcesses } from './cluster-processes.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import { findServer, versionOf } from '../serving/server.js';
import type { Figures } from '../measuring/statistics.js';

const ROOMS = 64;
/** Nodes of each room, one after the other, each waited for. */
const NODES = 100;
/** Nodes of a room that is alone. */
const ALONE = 200;

const columns: readonly Column[] = [
  { figure: 'nodes_per_s', title: `durable nodes/s, ${ROOMS} rooms`, digits: 0 },
  { figure: 'alone_ms', title: 'ms for a node of a lone room', digits: 2 },
  { figure: 'opened_ms', title: 'ms to open a room again', digits: 2 },
  { figure: 'acked_per_s', title: 'durable nodes/s over sockets', digits: 0 },
  { figure: 'deliveries_s', title: 'deliveries/s, clients on the same cores', digits: 0 },
  { figure: 'routed_s', title: 'deliveries per CPU second of the busiest process', digits: 0 },
  { figure: 'scattered_s', title: 'peers of a room at all of them', digits: 0 },
  { figure: 'near_p99_ms', title: 'p99 ms to a reader at the same process', digits: 1 },
  { figure: 'bus_p50_ms', title: 'p50 ms later at another one', digits: 2 },
  { figure: 'bus_p99_ms', title: 'p99', digits: 1 },
  { figure: 'back_all_ms', title: 'ms until 1,000 peers of a killed process are back', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'nodes_per_s', of: 'weft, postgres', least: 0.6, times: 'weft, folder' },
  ...[2, 3].map((size) => ({ figure: 'bus_p99_ms', of: `${size} processes`, most: 5 })),
];

export const clusterBench: Bench = {
  name: 'cluster',
  summary: `${ROOMS} rooms are written in a folder and in PostgreSQL, then by peers of 1, 2 and 3 processes; needs its programs, Linux`,
  columns,
  goals,
  run: runCluster,
};

async function runCluster(options: BenchOptions): Promise<readonly Row[]> {
  const base = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const server = await PostgresServer.start();
  let rounds = 0;
  const nodes = options.edits ?? NODES;
  const about = { version: versionOf(findServer('weft')), form: '', notes: [] };
  const entrant = (lib: string, place: () => Promise<() => Store>): Entrant => ({
    ...about,
    lib,
    contender: { name: lib, run: async () => measure(await place(), nodes) },
  });
  try {
    const entrants = [
      entrant('weft, folder', () => {
        const folder = join(base, `round-${++rounds}`);
        return Promise.resolve(() => levelStore(folder));
      }),
      entrant('weft, postgres', async () => {
        const address = server.address(await server.database());
        return () => postgresStore(address);
      }),
      ...PROCESSES.map((size): Entrant => {
        const lib = size === 1 ? '1 process' : `${size} processes`;
        const run = async (): Promise<Figures> => measureProcesses(server.address(await server.database()), size);
        return { ...about, lib, contender: { name: lib, run } };
      }),
    ];
    return await runEntrants('cluster', `${ROOMS} rooms, ${nodes} nodes each`, entrants, options);
  } finally {
    await server.stop();
    await rm(base, { recursive: true });
  }
}

async function measure(open: () => Store, nodes: number): Promise<Figures> {
  const host = createHost({ store: open() });
  await host.ready();
  const names = Array.from({ length: ROOMS }, (_, i) => `room-${i}`);
  const rooms = await Promise.all(names.map((name) => host.room(name)));
  await Promise.all(rooms.map((room) => room.set('begun', true)));
  const began = performance.now();
  await Promise.all(
    rooms.map(async (room) => {
      for (let at = 0; at < nodes; at++) await room.set('at', at);
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const lone = performance.now();
  for (let at = 0; at < ALONE; at++) await rooms[0]!.set('at', nodes + at);
  const alone = performance.now() - lone;
  await host.close();
  const again = createHost({ store: open() });
  await again.ready();
  const reopened = performance.now();
  for (const [i, name] of names.entries()) {
    const found = (await again.room(name)).get('at');
    const expected = (i === 0 ? ALONE : 0) + nodes - 1;
    if (found !== expected) throw new Error(`${name} holds ${String(found)}, not ${expected}`);
  }
  const opened = performance.now() - reopened;
  await again.close();
  return { nodes_per_s: (ROOMS * nodes) / seconds, alone_ms: alone / ALONE, opened_ms: opened / ROOMS };
}
