/**
 * Garbage collection of blobs that nobody refers to. Two things keep a blob: that a log mentions it, of any room, open or not, child or
 * parent, at any time of its history; and that it was uploaded, linked or let go within the grace period.
 *
 * First rooms let go of what no log mentions, then what no room has is deleted, a grace period later: in between stands a
 * whole period in which a mistake costs nothing. Logs are read again around each letting go, so what is mentioned meanwhile
 * stays. Wherever the process dies, blobs that are mentioned are there.
 */
import { type BlobHash, type RoomId, type Store, decodePack, isReserved, toHex } from '@weft/core';
import * as z from 'zod';
import { storeOperation } from './define.js';
import { telling } from './progress.js';

export interface Collected {
  readonly rooms: number;
  /** Links of rooms to blobs that no log mentions. */
  readonly letGo: number;
  readonly deleted: number;
  /** Bytes of the blobs that were deleted. */
  readonly bytes: number;
}

type Op = ReturnType<typeof decodePack>['nodes'][number]['ops'][number];

export const gc = storeOperation({
  name: 'gc',
  in: z.object({ delete: z.boolean(), grace_ms: z.number().int().nonnegative() }),
  alone: true,
  async run({ store, signal, telemetry, ...context }, { delete: isMeant, grace_ms: graceMs }): Promise<Collected> {
    const tell = telling(context);
    const mentioned = new Mentioned(store);
    const rooms: RoomId[] = [];
    for await (const room of store.log.rooms()) rooms.push(room);
    for (const [done, room] of rooms.entries()) {
      signal.throwIfAborted();
      await mentioned.read(room);
      tell({ done: done + 1, total: rooms.length, unit: 'rooms' });
    }
    // Rooms by their blobs, since some have blobs and no log.
    const having: RoomId[] = [];
    for await (const room of store.blobs.rooms()) having.push(room);
    let letGo = 0;
    for (const room of having) letGo += await letGoOf(room, store, mentioned, isMeant ? graceMs : undefined);
    const collected = await collect(store, mentioned, graceMs, isMeant);
    if (isMeant) telemetry?.record('blob_gc_deleted_total', collected.deleted);
    return { rooms: rooms.filter((room) => !isReserved(room)).length, letGo, ...collected };
  },
});

/** Set of the hashes that logs mention, as far as they were read. */
class Mentioned {
  readonly #store: Store;
  readonly #hashes = new Set<string>();
  readonly #read = new Map<RoomId, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  has(hash: BlobHash): boolean {
    return this.#hashes.has(hash);
  }

  /** Reads the log of a room, from where the last reading stopped. */
  async read(room: RoomId): Promise<void> {
    const from = this.#read.get(room) ?? 0;
    for await (const { seq, count, pack } of this.#store.log.read(room, from)) {
      for (const { ops } of decodePack(pack).nodes) for (const op of ops) this.#take(op);
      this.#read.set(room, seq + count);
    }
  }

  /**
   * Takes the references of an op, and whatever looks like a hash in a value, a text or a key: applications keep them
   * as they like.
   */
  #take(op: Op): void {
    this.#search(op.key);
    if (op.kind === 'set-blob') this.#hashes.add(toHex(op.hash));
    else if (op.kind === 'set') this.#search(Buffer.from(op.value).toString('latin1'));
    else if (op.kind === 'text-insert') this.#search(op.text);
    else if (op.kind === 'list-insert')
      for (const value of op.values) this.#search(Buffer.from(value).toString('latin1'));
  }

  #search(text: string): void {
    if (text.length < 64) return;
    // A longer run may begin with digits of something else, so every window of it counts.
    for (const [run] of text.matchAll(/[0-9a-f]{64,}/gi))
      for (let at = 0; at + 64 <= run.length; at++) this.#hashes.add(run.slice(at, at + 64).toLowerCase());
  }
}

/**
 * Takes a room's links away from blobs that no log mentions, and answers how many; without `graceMs` nothing is
 * changed.
 */
async function letGoOf(
  room: RoomId,
  { blobs }: Store,
  mentioned: Mentioned,
  graceMs: number | undefined,
): Promise<number> {
  const idle: BlobHash[] = [];
  for await (const hash of blobs.linked(room)) if (!mentioned.has(hash)) idle.push(hash);
  if (graceMs === undefined || idle.length === 0) return idle.length;
  await mentioned.read(room);
  const gone: BlobHash[] = [];
  for (const hash of idle) if (!mentioned.has(hash) && (await blobs.unlink(room, hash, graceMs))) gone.push(hash);
  await mentioned.read(room);
  const missed = gone.filter((hash) => mentioned.has(hash));
  for (const hash of missed) await blobs.link(room, hash);
  return gone.length - missed.length;
}

async function collect(
  { blobs }: Store,
  mentioned: Mentioned,
  graceMs: number,
  isMeant: boolean,
): Promise<Pick<Collected, 'deleted' | 'bytes'>> {
  let [deleted, bytes] = [0, 0];
  for await (const hash of blobs.unlinked(graceMs)) {
    if (mentioned.has(hash)) continue;
    const size = (await blobs.size(hash)) ?? 0;
    if (isMeant && !(await blobs.collect(hash, graceMs))) continue;
    deleted++;
    bytes += size;
  }
  return { deleted, bytes };
}
