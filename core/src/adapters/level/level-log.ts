/**
 * The log port on LevelDB: segments first, then records.
 *
 *   n!<room>!<seq, 14 hex digits>  ->  node count (varint) ‖ pack ‖ checksum
 *   o!<room>!<seq, as above>       ->  the room whose log it shares up to there ‖ checksum
 *   u!<room>!<seq, as above>       ->  the room that it has so many nodes of, whose log it does not share ‖ checksum
 *   f!<that room>!<room>           ->  nothing: either of these the other way round
 *   d!<room>!<14 zeros>            ->  1 while the name is barred, 0 afterwards ‖ tombstone of the last log ‖ checksum
 *
 * Each append is one synced write and each merge one synced batch, so they are there whole or not at all. A reader has
 * a snapshot: whatever is merged meanwhile, it goes on with what it began. A room's head is kept from its first append
 * on: only this process writes here.
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { fromUtf8, toUtf8 } from '../../codec/bytes/bytes.js';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { AppendResult, LogRecord, NodeLog, LogOrigin, Remains, Segment } from '../../ports/store.js';
import { OccupiedNames } from '../occupied-names.js';
import { eachOnDisk, onDisk } from './disk.js';
import {
  type Change,
  type LogDatabase,
  type Snapshot,
  checked,
  compactAll,
  damaged,
  keyOf,
  rangeOf,
  roomAfter,
  seqOf,
  withChecksum,
} from './log-database.js';
import { Segments } from './segments.js';
import type { SoundWrites, WriteBatch } from './sound-writes.js';

export class LevelLog implements NodeLog {
  readonly #database: LogDatabase;
  readonly #writes: SoundWrites;
  readonly #segments: Segments;
  readonly #heads = new Map<RoomId, number>();
  readonly #appends = new KeyedMutex<RoomId>();
  readonly #merges = new KeyedMutex<'any room'>();
  readonly #occupied = new OccupiedNames();

  constructor(database: LogDatabase, writes: SoundWrites) {
    [this.#database, this.#writes] = [database, writes];
    this.#segments = new Segments(database);
  }

  head(room: RoomId): Promise<number> {
    return onDisk(`read the log of room ${room}`, async () => this.#heads.get(room) ?? this.#readHead(room));
  }

  /** Appends under a mutex for each room, so that of two at the same head exactly one wins. */
  append(room: RoomId, expectedHead: number, batch: { count: number; pack: Uint8Array }): Promise<AppendResult> {
    return this.appendAll(room, expectedHead, [batch]);
  }

  appendAll(room: RoomId, expectedHead: number, records: readonly Segment[]): Promise<AppendResult> {
    return this.#appends.take(room, () =>
      this.#write(`write the log of room ${room}`, (write) => this.#append(room, expectedHead, records, write)),
    );
  }

  /** Before it looks at anything, the database is as sound as it will be when it is written to. */
  #write<T>(doing: string, task: (write: WriteBatch) => Promise<T>): Promise<T> {
    return onDisk(doing, () => this.#writes.run(task));
  }

  async #append(
    room: RoomId,
    expectedHead: number,
    records: readonly Segment[],
    write: WriteBatch,
  ): Promise<AppendResult> {
    const head = await this.head(room);
    if (head === 0 && (await this.#isBarred(room))) return { isBarred: true };
    if (head !== expectedHead) return { movedTo: head };
    let end = head;
    const changes = records.map((record) => {
      const change = recordAt(room, end, record);
      end += record.count;
      return change;
    });
    this.#heads.delete(room); // until it is known what reached the disk
    await write(changes);
    this.#heads.set(room, end);
    return { seq: head };
  }

  begin(room: RoomId, records: readonly Segment[], origin?: Omit<LogOrigin, 'isShared'>): Promise<boolean> {
    return this.#appends.take(room, () =>
      this.#write(`begin the log of room ${room}`, (write) => this.#begin(room, records, origin, write)),
    );
  }

  async #begin(
    room: RoomId,
    records: readonly Segment[],
    origin: Omit<LogOrigin, 'isShared'> | undefined,
    write: WriteBatch,
  ): Promise<boolean> {
    if (!(await this.#isFree(room))) return false;
    let end = 0;
    const changes: Change[] = records.map((record) => {
      const change = recordAt(room, end, record);
      end += record.count;
      return change;
    });
    if (origin) changes.push(...originOf('u', room, origin));
    this.#heads.delete(room);
    await write(changes);
    return true;
  }

  /** No merge of the other room may be under way, nor an append of this one. */
  fork(room: RoomId, origin: Omit<LogOrigin, 'isShared'>, record: Segment): Promise<boolean> {
    return this.#merges.take('any room', () =>
      this.#appends.take(room, () =>
        this.#write(`fork room ${room}`, (write) => this.#fork(room, origin, record, write)),
      ),
    );
  }

  async #fork(room: RoomId, origin: Omit<LogOrigin, 'isShared'>, record: Segment, write: WriteBatch): Promise<boolean> {
    const shared = (await this.#segments.entries(origin.room)).filter(({ seq }) => seq < origin.at);
    if (origin.at === 0 || endOf(shared.at(-1)) !== origin.at || !(await this.#isFree(room))) return false;
    const changes = [
      ...originOf('o', room, origin),
      ...shared.flatMap((entry) => this.#segments.share(room, entry)),
      recordAt(room, origin.at, record),
    ];
    this.#heads.delete(room);
    await write(changes);
    return true;
  }

  async #isFree(room: RoomId): Promise<boolean> {
    return !this.#occupied.has(room) && (await this.head(room)) === 0 && !(await this.#isBarred(room));
  }

  async #isBarred(room: RoomId): Promise<boolean> {
    return (await this.remains(room))?.isBarred ?? false;
  }

  /** No merge or fork may be under way, which would share what goes, nor an append. */
  remove(room: RoomId, tombstone: Uint8Array): Promise<boolean> {
    return this.#merges.take('any room', () =>
      this.#appends.take(room, () =>
        this.#write(`remove the log of room ${room}`, (write) => this.#remove(room, tombstone, write)),
      ),
    );
  }

  async #remove(room: RoomId, tombstone: Uint8Array, write: WriteBatch): Promise<boolean> {
    if ((await this.head(room)) === 0) return false;
    const changes = await this.#segments.remove(room, await this.#segments.entries(room));
    for await (const key of this.#database.keys(rangeOf('n', room))) changes.push({ type: 'del', key });
    const origin = await this.origin(room);
    if (origin) changes.push(...keysOfOrigin(origin.isShared ? 'o' : 'u', room, origin).map(deletion));
    for await (const fork of this.forks(room)) {
      const shared = await this.origin(fork);
      if (shared?.isShared) changes.push(deletion(keyOf('o', fork, shared.at)), ...originOf('u', fork, shared));
    }
    changes.push(remainsOf(room, { tombstone, isBarred: true }));
    this.#heads.delete(room);
    await write(changes);
    return true;
  }

  remains(room: RoomId): Promise<Remains | undefined> {
    return onDisk(`read what is left of room ${room}`, async () => {
      const key = keyOf('d', room, 0);
      const value = await this.#database.get(key);
      if (!value) return undefined;
      const input = new ByteReader(checked(key, value));
      return { isBarred: input.byte() === 1, tombstone: input.bytes(input.left) };
    });
  }

  unbar(room: RoomId): Promise<void> {
    return this.#appends.take(room, () =>
      this.#write(`free the name of room ${room}`, async (write) => {
        const remains = await this.remains(room);
        if (remains?.isBarred) await write([remainsOf(room, { ...remains, isBarred: false })]);
      }),
    );
  }

  reclaim(): Promise<void> {
    return onDisk('give back space', () => compactAll(this.#database));
  }

  /** Waits for a fork that has begun: who occupies the name afterwards finds its log. */
  occupy(room: RoomId): Promise<() => void> {
    return this.#appends.take(room, () => Promise.resolve(this.#occupied.add(room)));
  }

  origin(room: RoomId): Promise<LogOrigin | undefined> {
    return onDisk(`read the log of room ${room}`, async () => {
      for (const table of ['o', 'u'] as const)
        for await (const [key, value] of this.#database.iterator({ ...rangeOf(table, room), limit: 1 }))
          return { room: fromUtf8(checked(key, value)) as RoomId, at: seqOf(key), isShared: table === 'o' };
      return undefined;
    });
  }

  /** Merges under one mutex for all rooms: what one finds no longer used, another could be about to use. */
  merge(room: RoomId, from: number, segment: Segment, head?: number): Promise<boolean> {
    return this.#merges.take('any room', () =>
      this.#write(`merge records of room ${room}`, async (write) => {
        if (head !== undefined && (await this.head(room)) !== head) return false;
        return this.#merge(room, from, segment, write);
      }),
    );
  }

  async #merge(room: RoomId, from: number, segment: Segment, write: WriteBatch): Promise<boolean> {
    const to = from + segment.count;
    if (to <= from) return false;
    const entries = await this.#segments.entries(room);
    if (from !== endOf(entries.at(-1)) && !entries.some(({ seq }) => seq === from)) return false;
    const segments = entries.filter(({ seq }) => seq >= from && seq < to);
    const records = await this.#keysBetween(room, segments.length > 0 ? endOf(segments.at(-1)) : from, to);
    if (!records) return false;
    const removed = records.map((key): Change => ({ type: 'del', key }));
    removed.push(...(await this.#segments.remove(room, segments)));
    await write([...removed, ...this.#segments.put(room, from, segment)]);
    return true;
  }

  async *forks(room: RoomId): AsyncGenerator<RoomId> {
    const keys = this.#database.keys({ gte: `f!${room}!`, lt: `f!${room}"` });
    for await (const key of eachOnDisk(`list the forks of room ${room}`, keys))
      yield key.slice(key.lastIndexOf('!') + 1) as RoomId;
  }

  async *read(room: RoomId, fromSeq: number): AsyncGenerator<LogRecord> {
    yield* eachOnDisk(`read the log of room ${room}`, this.#read(room, fromSeq));
  }

  async *#read(room: RoomId, fromSeq: number): AsyncGenerator<LogRecord> {
    const snapshot = this.#database.snapshot();
    try {
      let next: number | undefined;
      for await (const record of this.#segmentsAndRecords(room, fromSeq, snapshot)) {
        const follows = next === undefined ? record.seq <= fromSeq : record.seq === next;
        if (!follows) throw damaged(room, next ?? fromSeq);
        yield record;
        next = endOf(record);
      }
    } finally {
      await snapshot.close();
    }
  }

  async *#segmentsAndRecords(room: RoomId, fromSeq: number, snapshot: Snapshot): AsyncGenerator<LogRecord> {
    for await (const entry of this.#segments.from(room, fromSeq, snapshot))
      yield await this.#segments.read(room, entry, snapshot);
    const start = await this.#recordHolding(room, fromSeq, snapshot);
    const range = { gte: keyOf('n', room, start), lt: rangeOf('n', room).lt, snapshot };
    for await (const [key, value] of this.#database.iterator(range)) {
      const record = toRecord(key, value);
      if (endOf(record) > fromSeq) yield record;
    }
  }

  async *rooms(): AsyncGenerator<RoomId> {
    let room = await this.#roomAfter('');
    while (room !== undefined) {
      yield room;
      room = await this.#roomAfter(room);
    }
  }

  size(room: RoomId): Promise<number> {
    return onDisk(`read the log of room ${room}`, async () => {
      const snapshot = this.#database.snapshot();
      try {
        let size = 0;
        for (const entry of await this.#segments.entries(room, snapshot)) size += entry.size;
        for await (const [key, value] of this.#database.iterator({ ...rangeOf('n', room), snapshot })) {
          size += toRecord(key, value).pack.length;
        }
        return size;
      } finally {
        await snapshot.close();
      }
    });
  }

  /** Records first: a merge in between moves them to where is looked next. */
  async #readHead(room: RoomId): Promise<number> {
    const records = { ...rangeOf('n', room), reverse: true, limit: 1 };
    let end = 0;
    for await (const entry of this.#database.iterator(records)) end = endOf(toRecord(...entry));
    return Math.max(end, endOf(await this.#segments.last(room)));
  }

  /** The position of the record that holds a node; the node's own when there is none. */
  async #recordHolding(room: RoomId, seq: number, snapshot: Snapshot): Promise<number> {
    const range = { gte: rangeOf('n', room).gte, lte: keyOf('n', room, seq), reverse: true, limit: 1, snapshot };
    for await (const key of this.#database.keys(range)) return seqOf(key);
    return seq;
  }

  /** The keys of the records from one position to another; undefined when none begins at the one or ends at the other. */
  async #keysBetween(room: RoomId, from: number, to: number): Promise<string[] | undefined> {
    if (from >= to) return from === to ? [] : undefined;
    const [first, behind] = [keyOf('n', room, from), keyOf('n', room, to)];
    // First: an append may come in between.
    const head = await this.head(room);
    const keys = await this.#database.keys({ gte: first, lte: behind }).all();
    if (keys[0] !== first || (to !== head && keys.at(-1) !== behind)) return undefined;
    return keys.filter((key) => key !== behind);
  }

  /** Looks like `#readHead`. */
  #roomAfter(room: RoomId | ''): Promise<RoomId | undefined> {
    return onDisk('list the rooms', async () => {
      const found = [await roomAfter(this.#database, 'n', room), await roomAfter(this.#database, 'g', room)];
      return found.filter((room) => room !== undefined).sort()[0];
    });
  }
}

/** How a log began, and the same the other way round. */
function originOf(table: 'o' | 'u', room: RoomId, origin: Omit<LogOrigin, 'isShared'>): Change[] {
  const [key, reversed] = keysOfOrigin(table, room, origin);
  const value = new ByteWriter(64);
  value.bytes(toUtf8(origin.room));
  return [
    { type: 'put', key, value: withChecksum(key, value) },
    { type: 'put', key: reversed, value: new Uint8Array() },
  ];
}

function keysOfOrigin(table: 'o' | 'u', room: RoomId, origin: Omit<LogOrigin, 'isShared'>): [string, string] {
  return [keyOf(table, room, origin.at), `f!${origin.room}!${room}`];
}

function deletion(key: string): Change {
  return { type: 'del', key };
}

function remainsOf(room: RoomId, { tombstone, isBarred }: Remains): Change {
  const key = keyOf('d', room, 0);
  const value = new ByteWriter(tombstone.length + 8);
  value.byte(isBarred ? 1 : 0);
  value.bytes(tombstone);
  return { type: 'put', key, value: withChecksum(key, value) };
}

function recordAt(room: RoomId, seq: number, { count, pack }: Segment) {
  const key = keyOf('n', room, seq);
  const value = new ByteWriter(pack.length + 12);
  value.varint(count);
  value.bytes(pack);
  return { type: 'put', key, value: withChecksum(key, value) } as const;
}

function toRecord(key: string, value: Uint8Array): LogRecord {
  const input = new ByteReader(checked(key, value));
  return { seq: seqOf(key), count: input.varint(), pack: input.bytes(input.left) };
}

function endOf(entry: Pick<LogRecord, 'seq' | 'count'> | undefined): number {
  return entry ? entry.seq + entry.count : 0;
}
