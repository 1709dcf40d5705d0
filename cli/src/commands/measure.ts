/**
 * What this machine and this disk do for a room, without sockets: rooms of a host in this process, in a folder that is
 * made for it and taken away.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Host, type PeerSocket, type RoomId, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { UsageError } from '../syntax/define.js';

const ROOM = 'bench' as RoomId;
const READERS = 50;
const JOINS = 20;
const AT_ONCE = 64;

export interface Measured {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/** Figures of this machine; each part takes about `ms`. Stopped, it ends early with the figures that it has. */
export async function measure(parent: string, ms: number, stop: AbortSignal): Promise<readonly Measured[]> {
  const folder = await mkdtemp(join(parent, '.weft-bench-')).catch((cause: unknown) => {
    throw new UsageError(`cannot make a folder in ${parent}; name one that this user can write with --in`, { cause });
  });
  try {
    const host = createHost({ store: levelStore(folder) });
    try {
      return [
        ...(await alone(host, ms, stop)),
        ...(await together(host, ms, stop)),
        ...(await fanOut(host, ms, stop)),
        ...(await joins(host)),
      ];
    } finally {
      await host.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

const set = (host: Host, value: number): Promise<unknown> =>
  host.submit({ room_id: ROOM, command: { MapSet: { namespace: 'n', key: `k${value % 1000}`, value } } });

/** Durations of a task in milliseconds: it runs again and again, one run after the other, for `ms`. */
async function repeated(ms: number, stop: AbortSignal, task: (at: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end && !stop.aborted;) {
    const started = performance.now();
    await task(took.length);
    took.push(performance.now() - started);
  }
  return took.sort((a, b) => a - b);
}

const within = (sorted: readonly number[], share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
const perSecond = (took: readonly number[], each = 1): number =>
  (took.length * each * 1000) /
  Math.max(
    1,
    took.reduce((sum, one) => sum + one, 0),
  );

async function alone(host: Host, ms: number, stop: AbortSignal): Promise<Measured[]> {
  const took = await repeated(ms, stop, (at) => set(host, at));
  return [
    { what: 'a write, signed and synced: median', value: within(took, 0.5), unit: 'ms' },
    { what: 'a write, signed and synced: 99 of 100', value: within(took, 0.99), unit: 'ms' },
  ];
}

async function together(host: Host, ms: number, stop: AbortSignal): Promise<Measured[]> {
  const took = await repeated(ms, stop, () => Promise.all(Array.from({ length: AT_ONCE }, (_, at) => set(host, at))));
  return [{ what: `writes, ${AT_ONCE} at a time`, value: perSecond(took, AT_ONCE), unit: '/s' }];
}

async function fanOut(host: Host, ms: number, stop: AbortSignal): Promise<Measured[]> {
  const readers = await Promise.all(Array.from({ length: READERS }, () => Reader.enter(host)));
  const before = heardBy(readers);
  const took = await repeated(ms, stop, (at) => set(host, at));
  const seconds = took.reduce((sum, one) => sum + one, 0) / 1000;
  const deliveries = (heardBy(readers) - before) / Math.max(seconds, 0.001);
  for (const reader of readers) reader.leave();
  return [{ what: `deliveries to ${READERS} members, a write at a time`, value: deliveries, unit: '/s' }];
}

async function joins(host: Host): Promise<Measured[]> {
  const { seq } = await host.room(ROOM);
  const started = performance.now();
  const joined = await Promise.all(Array.from({ length: JOINS }, () => Reader.enter(host)));
  const ms = (performance.now() - started) / JOINS;
  for (const reader of joined) reader.leave();
  return [{ what: `joins of a room of ${seq} nodes, ${JOINS} at once: each`, value: ms, unit: 'ms' }];
}

const heardBy = (readers: readonly Reader[]): number => readers.reduce((sum, { frames }) => sum + frames, 0);

/** A member of the room in this process, who counts what comes. */
class Reader implements PeerSocket {
  frames = 0;
  readonly #connection;
  readonly #joined: Promise<void>;
  #whenJoined: () => void = () => undefined;

  private constructor(host: Host) {
    this.#joined = new Promise((resolve) => (this.#whenJoined = resolve));
    this.#connection = host.connect(ROOM, this);
    this.#connection.receive(JSON.stringify({ type: 'hello' }));
  }

  static async enter(host: Host): Promise<Reader> {
    const reader = new Reader(host);
    await reader.#joined;
    return reader;
  }

  send(frame: string | Uint8Array): boolean {
    this.frames++;
    if (typeof frame === 'string' && frame.endsWith('"final":true}')) this.#whenJoined();
    return true;
  }

  close(_code: number, reason: string): void {
    throw new Error(`a member was sent away: ${reason}`);
  }

  leave(): void {
    this.#connection.closed();
  }
}
