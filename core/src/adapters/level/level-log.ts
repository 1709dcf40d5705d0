/**
 * The log port on LevelDB.
 *
 *   n!<room>!<seq, 14 hex digits>  ->  node count (varint) ‖ pack
 *
 * Each append is one synced write, so it is there whole or not at all. Heads are read once per room and
 * kept: only this process writes here.
 */
import type { Level } from 'level';
import { ByteReader } from '../../codec/byte-reader.js';
import { ByteWriter } from '../../codec/byte-writer.js';
import type { RoomId } from '../../graph/room-id.js';
import { type AppendResult, type LogRecord, type NodeLog, type Segment, StoreError } from '../../ports/store.js';
import { Turns } from './turns.js';

export type LogDatabase = Level<string, Uint8Array>;

export class LevelLog implements NodeLog {
  readonly #database: LogDatabase;
  readonly #heads = new Map<RoomId, number>();
  readonly #turns = new Turns<RoomId>();

  constructor(database: LogDatabase) {
    this.#database = database;
  }

  async head(room: RoomId): Promise<number> {
    const known = this.#heads.get(room);
    if (known !== undefined) return known;
    let head = 0;
    for await (const [key, value] of this.#database.iterator({ ...rangeOf(room), reverse: true, limit: 1 })) {
      const last = toRecord(key, value);
      head = last.seq + last.count;
    }
    this.#heads.set(room, head);
    return head;
  }

  /** One append of a room at a time, so that of two at the same head exactly one wins. */
  append(room: RoomId, expectedHead: number, batch: { count: number; pack: Uint8Array }): Promise<AppendResult> {
    return this.#turns.take(room, () => this.#append(room, expectedHead, batch));
  }

  async #append(room: RoomId, expectedHead: number, batch: { count: number; pack: Uint8Array }): Promise<AppendResult> {
    const head = await this.head(room);
    if (head !== expectedHead) return { movedTo: head };
    const value = new ByteWriter(batch.pack.length + 8);
    value.varint(batch.count);
    value.bytes(batch.pack);
    try {
      await this.#database.put(keyOf(room, head), value.finish(), { sync: true });
    } catch (error) {
      this.#heads.delete(room); // what reached the disk is unknown: ask it again
      throw new StoreError('failed', `cannot write the log of room ${room}: ${messageOf(error)}`, { cause: error });
    }
    this.#heads.set(room, head + batch.count);
    return { seq: head };
  }

  merge(room: RoomId, from: number, segment: Segment): Promise<boolean> {
    return this.#turns.take(room, () => this.#merge(room, from, segment));
  }

  async #merge(room: RoomId, from: number, { count, pack }: Segment): Promise<boolean> {
    const keys: string[] = [];
    let next = -1;
    for await (const [key, value] of this.#database.iterator({
      gte: keyOf(room, from),
      lt: keyOf(room, from + count),
    })) {
      const record = toRecord(key, value);
      if (keys.push(key) === 1 && record.seq !== from) return false;
      next = record.seq + record.count;
    }
    if (next !== from + count) return false;
    const value = new ByteWriter(pack.length + 8);
    value.varint(count);
    value.bytes(pack);
    const removed = keys.map((key) => ({ type: 'del' as const, key }));
    const put = { type: 'put' as const, key: keyOf(room, from), value: value.finish() };
    await this.#database.batch([...removed, put], { sync: true });
    return true;
  }

  async size(room: RoomId): Promise<number> {
    let size = 0;
    for await (const [key, value] of this.#database.iterator(rangeOf(room))) size += toRecord(key, value).pack.length;
    return size;
  }

  async *read(room: RoomId, fromSeq: number): AsyncGenerator<LogRecord> {
    const start = await this.#recordHolding(room, fromSeq);
    for await (const [key, value] of this.#database.iterator({ gte: keyOf(room, start), lt: rangeOf(room).lt })) {
      const record = toRecord(key, value);
      if (record.seq + record.count > fromSeq) yield record;
    }
  }

  async *rooms(): AsyncGenerator<RoomId> {
    let after = 'n!';
    for (;;) {
      const next = await this.#firstKey(after);
      if (next === undefined) return;
      const room = next.slice(2, next.indexOf('!', 2)) as RoomId;
      yield room;
      after = rangeOf(room).lt;
    }
  }

  /** The position of the record that holds a node; the node's own when there is none yet. */
  async #recordHolding(room: RoomId, seq: number): Promise<number> {
    const range = { gte: rangeOf(room).gte, lte: keyOf(room, seq), reverse: true, limit: 1 };
    for await (const key of this.#database.keys(range)) return seqOf(key);
    return seq;
  }

  async #firstKey(after: string): Promise<string | undefined> {
    for await (const key of this.#database.keys({ gte: after, lt: 'n"', limit: 1 })) return key;
    return undefined;
  }
}

/** Room ids hold no character below `-`, so `!` ends them and `"` follows all of a room's keys. */
function rangeOf(room: RoomId): { gte: string; lt: string } {
  return { gte: `n!${room}!`, lt: `n!${room}"` };
}

function keyOf(room: RoomId, seq: number): string {
  return `n!${room}!${seq.toString(16).padStart(14, '0')}`;
}

function seqOf(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf('!') + 1), 16);
}

function toRecord(key: string, value: Uint8Array): LogRecord {
  const input = new ByteReader(value);
  const count = input.varint();
  return { seq: seqOf(key), count, pack: input.bytes(input.left) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
