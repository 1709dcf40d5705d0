// What one, two and three processes on one database do: nodes and deliveries, what the way between two of them adds, and how long it
// takes until everybody is back whose process has died.
import { setTimeout as sleep } from 'node:timers/promises';
import { decode } from '@msgpack/msgpack';
import { mustHold, perSecond } from '../measuring/harness.js';
import { ClusteredServers } from '../serving/clustered-servers.js';
import type { Dialect, Message } from '../serving/dialect.js';
import type { Guest } from '../serving/guest.js';
import { weftDialect } from '../serving/weft-dialect.js';
import { type Figures, percentile } from '../measuring/statistics.js';

const ROOMS = 48;
const READERS = 3;
const EDITS = 40;
/** Enough for what a message goes through to be compiled in each process: less, and the figures are those of the compiler. */
const WARM = 120;
const EDIT_BYTES = 100;
/** Edits of a lone room, one after the other. */
const ALONE = 500;
const ALONE_WARM = 200;
/** Peers whose process dies, and their rooms. */
const [PEERS, THEIR_ROOMS] = [1000, 50];
/** Milliseconds within which a peer tries again, at random. */
const AGAIN_MS = 500;

export const PROCESSES = [1, 2, 3];

export async function measureProcesses(store: string, size: number): Promise<Figures> {
  const servers = await ClusteredServers.start(store, size);
  try {
    const { busiest_s: routed = 0, ...busy } = await deliver(servers, size, 'by room');
    if (size === 1) return { ...busy, routed_s: routed };
    const { busiest_s: scattered = 0 } = await deliver(servers, size, 'anywhere');
    return {
      ...busy,
      routed_s: routed,
      scattered_s: scattered,
      ...(await compareWays(servers)),
      ...(await comeBack(servers)),
    };
  } finally {
    await servers.end();
  }
}

/** Peers of a room come in at one process, as by a balancer that goes by the path, or in turn at all of them. */
async function deliver(servers: ClusteredServers, size: number, come: 'by room' | 'anywhere'): Promise<Figures> {
  const dialect = weftDialect();
  const rooms: Told[] = [];
  for (let i = 0; i < ROOMS; i++) {
    const urls = Array.from({ length: 1 + READERS }, (_, peer) =>
      servers.urlOf(
        (i + (come === 'anywhere' ? peer : 0)) % size,
        `${come === 'anywhere' ? 'scattered' : 'routed'}-${i}`,
      ),
    );
    rooms.push(await Told.enter(urls, dialect, WARM + 2 * EDITS));
  }
  await Promise.all(rooms.map((room) => room.write(WARM, 'readers')));
  const acked = performance.now();
  await Promise.all(rooms.map((room) => room.write(EDITS, 'writer')));
  const ackedMs = performance.now() - acked;
  const before = await servers.seconds();
  const told = performance.now();
  await Promise.all(rooms.map((room) => room.write(EDITS, 'readers')));
  const toldMs = performance.now() - told;
  const spent = (await servers.seconds()).map((seconds, i) => seconds - before[i]!);
  await Promise.all(rooms.map((room) => room.leave()));
  const deliveries = ROOMS * READERS * EDITS;
  return {
    acked_per_s: perSecond(ROOMS * EDITS, ackedMs),
    deliveries_s: perSecond(deliveries, toldMs),
    busiest_s: deliveries / Math.max(...spent),
  };
}

/** One room, whose owner has the writer and a reader; another reader is at another process. */
async function compareWays(servers: ClusteredServers): Promise<Figures> {
  const dialect = weftDialect();
  const at = (member: number): string => servers.urlOf(member, 'alone');
  const [writer, near, far] = [await dialect.enter(at(0)), await dialect.enter(at(0)), await dialect.enter(at(1))];
  const messages = await dialect.compose(writer, texts(ALONE_WARM + ALONE), 1);
  const waits: [near: number[], far: number[]] = [[], []];
  for (const [i, message] of messages.entries()) {
    const began = performance.now();
    const [nearMs, farMs] = [arrival(near, dialect, began), arrival(far, dialect, began)];
    writer.socket.send(message);
    const passed = await Promise.all([nearMs, farMs]);
    if (i >= ALONE_WARM) waits.forEach((list, which) => list.push(passed[which]!));
  }
  await Promise.all([writer, near, far].map((guest) => guest.leave()));
  // Difference of each message by itself, so that what else the machine does in that moment is in neither.
  const added = waits[1].map((ms, i) => Math.max(0, ms - waits[0][i]!));
  return {
    near_p99_ms: percentile(waits[0], 0.99),
    bus_p50_ms: percentile(added, 0.5),
    bus_p99_ms: percentile(added, 0.99),
  };
}

function arrival(guest: Guest, dialect: Dialect, began: number): Promise<number> {
  return new Promise((resolve) =>
    guest.listen((frame) => {
      if (dialect.editsIn(frame) > 0) resolve(performance.now() - began);
    }),
  );
}

/** All peers of a process are in rooms of it when it is killed; they go to the others in turn. */
async function comeBack(servers: ClusteredServers): Promise<Figures> {
  const dialect = weftDialect();
  const roomOf = (peer: number): string => `back-${peer % THEIR_ROOMS}`;
  const guests: Guest[] = [];
  for (let at = 0; at < PEERS; at += THEIR_ROOMS) {
    const some = Array.from({ length: THEIR_ROOMS }, (_, i) => dialect.enter(servers.urlOf(0, roomOf(at + i))));
    guests.push(...(await Promise.all(some)));
  }
  const died = performance.now();
  await servers.kill(0);
  const back = await Promise.all(
    guests.map(async ({ closed }, peer) => {
      await closed;
      for (;;) {
        await sleep(Math.random() * AGAIN_MS);
        const guest = await dialect.enter(servers.urlOf(1, roomOf(peer))).catch(() => undefined);
        if (guest) return { guest, ms: performance.now() - died };
      }
    }),
  );
  await Promise.all(back.map(({ guest }) => guest.leave()));
  const waits = back.map(({ ms }) => ms);
  return { back_p50_ms: percentile(waits, 0.5), back_all_ms: Math.max(...waits) };
}

function texts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(i).padStart(EDIT_BYTES, '.'));
}

/** A room in which one writes as soon as what it has written is durable, or with all the others. */
class Told {
  readonly #writer: Guest;
  readonly #readers: readonly Guest[];
  readonly #messages: readonly Message[];
  #sent = 0;
  #arrived = 0;
  #acked = 0;
  #heard: () => void = () => undefined;

  private constructor(writer: Guest, readers: readonly Guest[], messages: readonly Message[], dialect: Dialect) {
    [this.#writer, this.#readers, this.#messages] = [writer, readers, messages];
    for (const reader of readers)
      reader.listen((frame) => {
        this.#arrived += dialect.editsIn(frame);
        this.#heard();
      });
    writer.listen((frame) => {
      if (!isAck(frame)) return;
      this.#acked++;
      this.#heard();
    });
  }

  static async enter(urls: readonly string[], dialect: Dialect, edits: number): Promise<Told> {
    const [first = '', ...others] = urls;
    // The first makes the room, so that its process is the owner.
    const writer = await dialect.enter(first);
    const readers = await Promise.all(others.map((url) => dialect.enter(url)));
    return new Told(writer, readers, await dialect.compose(writer, texts(edits), 1), dialect);
  }

  async write(edits: number, awaited: 'writer' | 'readers'): Promise<void> {
    for (const message of this.#messages.slice(this.#sent, this.#sent + edits)) {
      this.#sent++;
      const isTold = (): boolean =>
        awaited === 'writer' ? this.#acked >= this.#sent : this.#arrived >= this.#sent * this.#readers.length;
      const told = new Promise<void>((resolve) => (this.#heard = () => isTold() && resolve()));
      this.#writer.socket.send(message);
      await told;
    }
    mustHold(this.#acked <= this.#sent, 'more was acknowledged than was sent');
  }

  async leave(): Promise<void> {
    await Promise.all([this.#writer, ...this.#readers].map((guest) => guest.leave()));
  }
}

function isAck(frame: Buffer): boolean {
  const message: unknown = frame[0] === 0x7b ? JSON.parse(frame.toString()) : decode(frame);
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'pack-ack';
}
