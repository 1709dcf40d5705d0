// How soon all rooms take writes again when processes of a cluster are killed, and when their database has restarted: 20 rooms, 50 clients
// as applications have them, links as usual. And how soon a herd is back whose process was killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { type RoomClient, generateKeys, keepRoom } from '@weft/core';
import WebSocket from 'ws';
import { NatsServer, PostgresServer } from '../serving/machine-servers.js';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { mustHold } from '../measuring/harness.js';
import { type Figures, percentile } from '../measuring/statistics.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import { type Bus, ClusteredServers } from '../serving/clustered-servers.js';
import { measureHerd } from './herd.js';
import { findServer, versionOf } from '../serving/server.js';

const [PROCESSES, ROOMS, CLIENTS] = [3, 20, 50];
/** How often one is killed, how often two at once, and how often the database restarts. */
const [KILLS, PAIRS, RESTARTS] = [6, 3, 2];
/** Longest that a client waits between two writes. */
const IDLE_MS = 100;
/** So long everything is well before something is killed: clients who were cut off a moment ago wait longer, by design. */
const WELL_MS = 6000;
const MOST_MS = 60_000;

const columns: readonly Column[] = [
  { figure: 'killed_p50_ms', title: 'one of three killed: p50 ms until all rooms take writes', digits: 0 },
  { figure: 'killed_most_ms', title: `longest of ${KILLS}`, digits: 0 },
  { figure: 'killed_rooms', title: 'rooms that the killed had', digits: 0 },
  { figure: 'two_p50_ms', title: 'two of three killed: p50 ms', digits: 0 },
  { figure: 'two_most_ms', title: `longest of ${PAIRS}`, digits: 0 },
  { figure: 'two_rooms', title: 'rooms that the two had', digits: 0 },
  { figure: 'database_p50_ms', title: 'database restarted: p50 ms', digits: 0 },
  { figure: 'database_most_ms', title: `longest of ${RESTARTS}`, digits: 0 },
  { figure: 'herd_back_ms', title: 'ms until all peers of the killed are back', digits: 0 },
  { figure: 'herd_again', title: 'peers that were sent away more than once', digits: 0 },
  { figure: 'calm_p99_ms', title: 'p99 ms of acks of others, before', digits: 1 },
  { figure: 'herd_p99_ms', title: 'while they come back', digits: 1 },
];

/** Peers of a herd, unless `--edits` says how many. */
const HERD = 5000;

const LIBS = ['over TCP', 'over NATS'] as const;

const goals: readonly Goal[] = LIBS.flatMap((of) => [
  { figure: 'killed_most_ms', of, most: 3000 },
  { figure: 'database_most_ms', of, most: 10_000 },
]);
const herdGoals: readonly Goal[] = [{ figure: 'herd_back_ms', of: 'herd', most: 10_000 }];

export const deathsBench: Bench = {
  name: 'deaths',
  summary: `processes of a cluster are killed, and its database restarts, while ${CLIENTS} clients write in ${ROOMS} rooms; needs its programs, Linux`,
  columns,
  goals: [...goals, ...herdGoals],
  run: runDeaths,
};

async function runDeaths(options: BenchOptions): Promise<readonly Row[]> {
  const database = await PostgresServer.start();
  const nats = await NatsServer.start();
  const about = { version: versionOf(findServer('weft')), form: '', notes: [] };
  try {
    const entrants = LIBS.map((lib): Entrant => {
      const bus = lib === 'over NATS' ? nats : undefined;
      return { ...about, lib, contender: { name: lib, run: () => measure(database, bus) } };
    });
    const peers = options.edits ?? HERD;
    const run = () => herd(database, peers);
    entrants.push({ ...about, lib: 'herd', notes: [`${peers} peers`], contender: { name: 'herd', run } });
    const wanted = entrants.filter((each) => options.libs.length === 0 || options.libs.includes(each.lib));
    return await runEntrants('deaths', `${PROCESSES} processes, ${ROOMS} rooms`, wanted, options);
  } finally {
    await nats.kill();
    await database.stop();
  }
}

async function measure(database: PostgresServer, bus: Bus | undefined): Promise<Figures> {
  const servers = await ClusteredServers.start(database.address(await database.database()), PROCESSES, bus);
  const writers = new Writers(servers);
  const others = (which: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => (which + i) % PROCESSES);
  const [killed, two, restarted] = [[] as number[], [] as number[], [] as number[]];
  let [killedRooms, twoRooms] = [0, 0];
  try {
    for (let i = 0; i < KILLS; i++) {
      const { ms, rooms } = await kill(servers, writers, others(i, 1));
      killed.push(ms);
      killedRooms += rooms;
    }
    for (let i = 0; i < PAIRS; i++) {
      const { ms, rooms } = await kill(servers, writers, others(i, 2));
      two.push(ms);
      twoRooms += rooms;
    }
    for (let i = 0; i < RESTARTS; i++) {
      await sleep(WELL_MS);
      await database.crash();
      await database.up();
      restarted.push(await writers.recovered());
    }
  } finally {
    writers.end();
    await servers.end();
  }
  return {
    killed_p50_ms: percentile(killed, 0.5),
    killed_most_ms: Math.max(...killed),
    killed_rooms: killedRooms,
    two_p50_ms: percentile(two, 0.5),
    two_most_ms: Math.max(...two),
    two_rooms: twoRooms,
    database_p50_ms: percentile(restarted, 0.5),
    database_most_ms: Math.max(...restarted),
  };
}

async function herd(database: PostgresServer, peers: number): Promise<Figures> {
  const servers = await ClusteredServers.start(database.address(await database.database()), PROCESSES);
  try {
    return await measureHerd(servers, peers);
  } finally {
    await servers.end();
  }
}

/** Kills some at once; those who are left have all rooms before they are started again. */
async function kill(servers: ClusteredServers, writers: Writers, which: readonly number[]): Promise<Found> {
  await sleep(WELL_MS);
  const had = await Promise.all(which.map((member) => servers.rooms(member)));
  const recovered = writers.recovered();
  await Promise.all(which.map((member) => servers.kill(member)));
  const ms = await recovered;
  await servers.startAgain();
  return { ms, rooms: had.reduce((all, rooms) => all + rooms, 0) };
}

interface Found {
  readonly ms: number;
  readonly rooms: number;
}

/** Clients who write without end, each when its last write was acknowledged; they come in at any process that lives, as behind a balancer. */
class Writers {
  readonly #servers: ClusteredServers;
  readonly #clients: RoomClient[] = [];
  /** When the newest write of each room that was acknowledged had begun. */
  readonly #begun: number[] = Array.from({ length: ROOMS }, () => 0);
  #next = 0;
  #isOver = false;

  constructor(servers: ClusteredServers) {
    this.#servers = servers;
    for (let i = 0; i < CLIENTS; i++) void this.#write(i % ROOMS);
  }

  /** Milliseconds from now until each room has taken a write that began later. */
  async recovered(): Promise<number> {
    const from = performance.now();
    while (this.#begun.some((begun) => begun <= from)) {
      mustHold(performance.now() - from < MOST_MS, 'a room takes no writes any more');
      await sleep(5);
    }
    return performance.now() - from;
  }

  end(): void {
    this.#isOver = true;
    for (const client of this.#clients) client.close();
  }

  async #write(room: number): Promise<void> {
    const client = keepRoom({
      open: () => new WebSocket(this.#servers.urlOf(this.#living(), `room-${room}`)),
      keys: generateKeys(),
    });
    this.#clients.push(client);
    await client.joined;
    for (let at = 0; !this.#isOver; at++) {
      await sleep(Math.random() * IDLE_MS);
      const began = performance.now();
      client.replica.set(`at-${this.#clients.indexOf(client)}`, at);
      const isKept = await client.push().then(
        () => true,
        () => false,
      );
      if (isKept) this.#begun[room] = Math.max(this.#begun[room]!, began);
    }
  }

  #living(): number {
    const living = Array.from({ length: PROCESSES }, (_, i) => i).filter((member) => this.#servers.isAlive(member));
    return living[this.#next++ % living.length]!;
  }
}
