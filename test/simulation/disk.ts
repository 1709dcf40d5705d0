/**
 * A disk that several processes may use one after the other or side by side, and that outlives them. What a process asks of it
 * takes time, may be refused, and is never answered when the process dies meanwhile: then it was done or not.
 */
import { type LogRecord, type RoomId, type Segment, type Store, StoreError } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import type { Random } from '../convergence/random.js';
import type { Timeline } from './timeline.js';

/** A process, from its start to its death. */
export interface Life {
  readonly name: string;
  isOver: boolean;
}

/** What the disk does to those who use it. */
export interface DiskFaults {
  /** Per cent of writes that are refused because it is full. */
  full: number;
  /** Per cent of writes that fail. */
  failing: number;
  /** Per cent of images that cannot be read any more. */
  flipped: number;
  /** Most milliseconds that anything takes, each way. */
  mostMs: number;
}

export interface DiskParts {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly authoritySeed: Uint8Array;
  /** Told of what is durable from now on: nodes behind those that the log has. */
  readonly kept: (room: RoomId, at: number, records: readonly Segment[]) => void;
  readonly forked: (room: RoomId, origin: { readonly room: RoomId; readonly at: number }, isCopy: boolean) => void;
  readonly removed: (room: RoomId) => void;
  /** Told of what is found to be wrong. */
  readonly wrong: (law: string, why: string) => void;
}

/** The disk answers before it has anything: what a drive without its cache battery does. */
export type DiskLie = 'none' | 'answers-before-it-has-it' | 'shows-what-it-refused';

/** When a disk that lies has what it has answered. */
const LATE_MS = 40;

export class Disk {
  readonly faults: DiskFaults = { full: 0, failing: 0, flipped: 0, mostMs: 8 };
  lie: DiskLie = 'none';
  /** Images that could not be read: whoever needed one says so. */
  flips = 0;
  readonly truth: Store = memoryStore();
  readonly #parts: DiskParts;
  /** Names that a process occupies, to be given up when it dies. */
  readonly #occupied = new Map<Life, Set<() => void>>();

  constructor(parts: DiskParts) {
    this.#parts = parts;
  }

  /** The process has died: whatever it held of the disk is free. */
  buried(life: Life): void {
    for (const giveUp of this.#occupied.get(life) ?? []) giveUp();
    this.#occupied.delete(life);
  }

  /** The disk as one process sees it. */
  seenBy(life: Life): Store {
    const { log, blobs, images } = this.truth;
    const ask = <T>(act: () => Promise<T>): Promise<T> => this.#ask(life, act, false);
    const write = <T>(act: () => Promise<T>): Promise<T> => this.#ask(life, act, true);
    const each = async function* <T>(read: () => AsyncIterable<T>): AsyncGenerator<T> {
      await ask(() => Promise.resolve());
      yield* read();
    };
    const append: Store['log']['appendAll'] = (room, head, records) =>
      write(async () => {
        const result = await log.appendAll(room, head, records);
        if (!('seq' in result)) return result;
        const kept = (): void => this.#parts.kept(room, result.seq, records);
        if (this.lie === 'answers-before-it-has-it') this.#parts.timeline.after(LATE_MS, kept);
        else kept();
        return result;
      });
    return {
      log: {
        head: (room) => ask(() => log.head(room)),
        append: (room, head, record) => append(room, head, [record]),
        appendAll: append,
        merge: (room, from, segment, head) => write(() => log.merge(room, from, segment, head)),
        fork: (room, origin, record) =>
          write(async () => {
            const isNew = await log.fork(room, origin, record);
            if (isNew) this.#parts.forked(room, origin, false);
            if (isNew) this.#parts.kept(room, origin.at, [record]);
            return isNew;
          }),
        begin: (room, records, origin) =>
          write(async () => {
            const isNew = await log.begin(room, records, origin);
            if (isNew && origin) this.#parts.forked(room, origin, true);
            if (isNew) this.#parts.kept(room, 0, records);
            return isNew;
          }),
        occupy: async (room) => {
          const giveUp = await ask(() => log.occupy(room));
          const held = this.#occupied.get(life) ?? new Set();
          this.#occupied.set(life, held.add(giveUp));
          return giveUp;
        },
        remove: (room, tombstone) =>
          write(async () => {
            const isRemoved = await log.remove(room, tombstone);
            if (isRemoved) this.#parts.removed(room);
            return isRemoved;
          }),
        remains: (room) => ask(() => log.remains(room)),
        unbar: (room) => write(() => log.unbar(room)),
        reclaim: () => ask(() => log.reclaim()),
        origin: (room) => ask(() => log.origin(room)),
        forks: (room) => each(() => log.forks(room)),
        read: (room, from) => each(() => this.#read(room, from)),
        rooms: () => each(() => log.rooms()),
        size: (room) => ask(() => log.size(room)),
      },
      blobs: {
        put: (hash, bytes, limit) => write(() => blobs.put(hash, bytes, limit)),
        get: (hash, range) => ask(() => blobs.get(hash, range)),
        size: (hash) => ask(() => blobs.size(hash)),
        delete: (hash) => write(() => blobs.delete(hash)),
        all: () => each(() => blobs.all()),
        stage: (room, hash, type, by) => write(() => blobs.stage(room, hash, type, by)),
        contentType: (room, hash) => ask(() => blobs.contentType(room, hash)),
        isStaged: (room, hash) => ask(() => blobs.isStaged(room, hash)),
        link: (room, hash, by) => write(() => blobs.link(room, hash, by)),
        reserve: (claim, bounds) => ask(() => blobs.reserve(claim, bounds)),
        stored: () => ask(() => blobs.stored()),
        isLinked: (room, hash) => ask(() => blobs.isLinked(room, hash)),
        linked: (room) => each(() => blobs.linked(room)),
        rooms: () => each(() => blobs.rooms()),
        unlink: (room, hash, idleMs) => write(() => blobs.unlink(room, hash, idleMs)),
        release: (room, idleMs) => write(() => blobs.release(room, idleMs)),
        unlinked: (idleMs) => each(() => blobs.unlinked(idleMs)),
        collect: (hash, idleMs) => write(() => blobs.collect(hash, idleMs)),
      },
      images: {
        put: (room, bytes) => write(() => images.put(room, bytes)),
        get: (room) =>
          ask(() => {
            const isFlipped = this.#happens(this.faults.flipped);
            if (isFlipped) this.flips++;
            return isFlipped ? Promise.resolve(undefined) : images.get(room);
          }),
        remove: (room) => write(() => images.remove(room)),
      },
      open: () => ask(() => Promise.resolve()),
      authoritySeed: () => ask(() => Promise.resolve(this.#parts.authoritySeed)),
      close: () => ask(() => Promise.resolve()),
    };
  }

  /** Records of a log, which follow each other without a gap. */
  async *#read(room: RoomId, from: number): AsyncGenerator<LogRecord> {
    let end: number | undefined;
    for await (const record of this.truth.log.read(room, from)) {
      if (end !== undefined && record.seq !== end)
        this.#parts.wrong('log-without-gaps', `${room}: a record at ${record.seq} follows one that ends at ${end}`);
      end = record.seq + record.count;
      yield record;
    }
  }

  #happens(percent: number): boolean {
    return percent > 0 && this.#parts.random.chance(percent);
  }

  #ask<T>(life: Life, act: () => Promise<T>, isWrite: boolean): Promise<T> {
    const { timeline, random } = this.#parts;
    const wait = (then: () => void): unknown =>
      timeline.after(random.below(this.faults.mostMs + 1), () => {
        if (!life.isOver) then();
      });
    const refusal = isWrite ? this.#refusal() : undefined;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): unknown => wait(settle);
      wait(() => {
        if (refusal && this.lie === 'shows-what-it-refused') void act().catch(() => undefined);
        if (refusal) return answer(() => reject(refusal));
        act().then(
          (result) => answer(() => resolve(result)),
          (error: unknown) => answer(() => reject(error instanceof Error ? error : new Error(String(error)))),
        );
      });
    });
  }

  #refusal(): StoreError | undefined {
    if (this.#happens(this.faults.full)) return new StoreError('full', 'the simulated disk is full');
    return this.#happens(this.faults.failing) ? new StoreError('failed', 'the simulated disk has failed') : undefined;
  }
}
