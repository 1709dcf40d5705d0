/** The log port in memory. A merge makes a new list, so a reader goes on with the one that it began. */
import { toHex } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { AppendResult, LogRecord, NodeLog, LogOrigin, Remains, Segment } from '../../ports/store.js';
import { OccupiedNames } from '../occupied-names.js';

interface Log {
  readonly origin?: LogOrigin;
  readonly records: LogRecord[];
  /** How many of the records are segments: the first ones. */
  readonly segments: number;
}

const EMPTY: Log = { records: [], segments: 0 };

export class MemoryLog implements NodeLog {
  readonly #rooms = new Map<RoomId, Log>();
  readonly #shared = new SharedBytes();
  readonly #occupied = new OccupiedNames();
  readonly #removed = new Map<RoomId, Remains>();

  head(room: RoomId): Promise<number> {
    return Promise.resolve(endOf(this.#rooms.get(room)?.records.at(-1)));
  }

  append(room: RoomId, expectedHead: number, batch: { count: number; pack: Uint8Array }): Promise<AppendResult> {
    return this.appendAll(room, expectedHead, [batch]);
  }

  appendAll(room: RoomId, expectedHead: number, records: readonly Segment[]): Promise<AppendResult> {
    if (this.#isBarred(room)) return Promise.resolve({ isBarred: true });
    const log = this.#rooms.get(room) ?? { records: [], segments: 0 };
    const head = endOf(log.records.at(-1));
    if (head !== expectedHead) return Promise.resolve({ movedTo: head });
    for (const { count, pack } of records)
      log.records.push({ seq: endOf(log.records.at(-1)), count, pack: new Uint8Array(pack) });
    this.#rooms.set(room, log);
    return Promise.resolve({ seq: head });
  }

  merge(room: RoomId, from: number, { count, pack }: Segment, head?: number): Promise<boolean> {
    const log = this.#rooms.get(room) ?? EMPTY;
    const { records, segments } = log;
    if (head !== undefined && endOf(records.at(-1)) !== head) return Promise.resolve(false);
    const first = records.findIndex(({ seq }) => seq === from);
    const last = records.findIndex((record) => endOf(record) === from + count);
    if (first < 0 || last < first || first > segments) return Promise.resolve(false);
    const merged = { seq: from, count, pack: this.#shared.take(pack) };
    for (const segment of records.slice(first, Math.min(last + 1, segments))) this.#shared.release(segment.pack);
    this.#rooms.set(room, {
      ...log,
      records: [...records.slice(0, first), merged, ...records.slice(last + 1)],
      segments: first + 1 + Math.max(0, segments - last - 1),
    });
    return Promise.resolve(true);
  }

  begin(room: RoomId, records: readonly Segment[], origin?: Omit<LogOrigin, 'isShared'>): Promise<boolean> {
    if (!this.#isFree(room)) return Promise.resolve(false);
    const log: LogRecord[] = [];
    for (const { count, pack } of records) log.push({ seq: endOf(log.at(-1)), count, pack: new Uint8Array(pack) });
    this.#rooms.set(room, { records: log, segments: 0, ...(origin ? { origin: { ...origin, isShared: false } } : {}) });
    return Promise.resolve(true);
  }

  fork(room: RoomId, origin: Omit<LogOrigin, 'isShared'>, record: Segment): Promise<boolean> {
    const { records, segments } = this.#rooms.get(origin.room) ?? EMPTY;
    const shared = records.slice(0, segments).filter(({ seq }) => seq < origin.at);
    if (origin.at === 0 || !this.#isFree(room) || endOf(shared.at(-1)) !== origin.at) return Promise.resolve(false);
    const taken = shared.map((segment) => ({ ...segment, pack: this.#shared.take(segment.pack) }));
    const own = { seq: origin.at, count: record.count, pack: new Uint8Array(record.pack) };
    this.#rooms.set(room, {
      origin: { ...origin, isShared: true },
      records: [...taken, own],
      segments: taken.length,
    });
    return Promise.resolve(true);
  }

  #isFree(room: RoomId): boolean {
    return !this.#rooms.has(room) && !this.#occupied.has(room) && !this.#isBarred(room);
  }

  #isBarred(room: RoomId): boolean {
    return this.#removed.get(room)?.isBarred ?? false;
  }

  remove(room: RoomId, tombstone: Uint8Array): Promise<boolean> {
    const log = this.#rooms.get(room);
    if (!log) return Promise.resolve(false);
    for (const segment of log.records.slice(0, log.segments)) this.#shared.release(segment.pack);
    this.#rooms.delete(room);
    for (const [fork, { origin, ...rest }] of this.#rooms)
      if (origin?.room === room) this.#rooms.set(fork, { ...rest, origin: { ...origin, isShared: false } });
    this.#removed.set(room, { tombstone: new Uint8Array(tombstone), isBarred: true });
    return Promise.resolve(true);
  }

  remains(room: RoomId): Promise<Remains | undefined> {
    return Promise.resolve(this.#removed.get(room));
  }

  unbar(room: RoomId): Promise<void> {
    const removed = this.#removed.get(room);
    if (removed) this.#removed.set(room, { ...removed, isBarred: false });
    return Promise.resolve();
  }

  reclaim(): Promise<void> {
    return Promise.resolve();
  }

  occupy(room: RoomId): Promise<() => void> {
    return Promise.resolve(this.#occupied.add(room));
  }

  origin(room: RoomId): Promise<LogOrigin | undefined> {
    return Promise.resolve(this.#rooms.get(room)?.origin);
  }

  async *forks(room: RoomId): AsyncGenerator<RoomId> {
    const forks = [...this.#rooms].filter(([, log]) => log.origin?.room === room);
    yield* forks.map(([fork]) => fork).sort();
  }

  async *read(room: RoomId, fromSeq: number): AsyncGenerator<LogRecord> {
    for (const record of this.#rooms.get(room)?.records ?? []) if (endOf(record) > fromSeq) yield record;
  }

  async *rooms(): AsyncGenerator<RoomId> {
    yield* [...this.#rooms.keys()].sort();
  }

  size(room: RoomId): Promise<number> {
    const { records } = this.#rooms.get(room) ?? EMPTY;
    return Promise.resolve(records.reduce((size, { pack }) => size + pack.length, 0));
  }
}

/** Bytes by their hash, once however many rooms have them. */
class SharedBytes {
  readonly #held = new Map<string, { readonly bytes: Uint8Array; uses: number }>();

  take(bytes: Uint8Array): Uint8Array {
    const name = nameOf(bytes);
    const held = this.#held.get(name) ?? { bytes: new Uint8Array(bytes), uses: 0 };
    held.uses++;
    this.#held.set(name, held);
    return held.bytes;
  }

  release(bytes: Uint8Array): void {
    const name = nameOf(bytes);
    const held = this.#held.get(name);
    if (held && --held.uses === 0) this.#held.delete(name);
  }
}

function nameOf(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

function endOf(record: LogRecord | undefined): number {
  return record ? record.seq + record.count : 0;
}
