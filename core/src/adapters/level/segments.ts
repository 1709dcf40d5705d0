/**
 * Segments of rooms' logs, in the database of the logs:
 *
 *   g!<room>!<seq, 14 hex digits>            ->  node count (varint) ‖ bytes of the pack (varint) ‖ its SHA-256 ‖ checksum
 *   s!<SHA-256, hex>                         ->  the pack, once however many rooms have it
 *   r!<SHA-256, hex>!<room>!<seq, as above>  ->  nothing: that entry has this pack, which stays until the last one goes
 *
 * What is changed is told as changes, for one batch with what else is part of a merge.
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { equalBytes, toHex } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { LogRecord, Segment } from '../../ports/store.js';
import {
  type Change,
  type LogDatabase,
  type Snapshot,
  checked,
  damaged,
  hasChecksum,
  keyOf,
  positionKey,
  rangeOf,
  seqOf,
  withChecksum,
} from './log-database.js';

/** Entry of a segment in a room's log. */
export interface SegmentEntry {
  readonly seq: number;
  readonly count: number;
  /** Bytes of its pack. */
  readonly size: number;
  readonly hash: Uint8Array;
}

const HASH_BYTES = 32;

export class Segments {
  readonly #database: LogDatabase;

  constructor(database: LogDatabase) {
    this.#database = database;
  }

  async entries(room: RoomId, snapshot?: Snapshot): Promise<SegmentEntry[]> {
    const entries: SegmentEntry[] = [];
    // Not by `all`: for that the database makes room for a thousand entries, and most rooms have none.
    for await (const [key, value] of this.#database.iterator({ ...rangeOf('g', room), snapshot }))
      entries.push(toEntry(key, value));
    return entries;
  }

  /** Entries from the one on that holds a position, if there is one. */
  async *from(room: RoomId, seq: number, snapshot: Snapshot): AsyncGenerator<SegmentEntry> {
    const { gte, lt } = rangeOf('g', room);
    const upTo = { gte, lte: keyOf('g', room, seq), reverse: true, limit: 1, snapshot };
    const [first = gte] = await this.#database.keys(upTo).all();
    for await (const [key, value] of this.#database.iterator({ gte: first, lt, snapshot })) {
      const entry = toEntry(key, value);
      if (entry.seq + entry.count > seq) yield entry;
    }
  }

  async last(room: RoomId): Promise<SegmentEntry | undefined> {
    const range = { ...rangeOf('g', room), reverse: true, limit: 1 };
    for await (const [key, value] of this.#database.iterator(range)) return toEntry(key, value);
    return undefined;
  }

  async read(room: RoomId, { seq, count, hash }: SegmentEntry, snapshot: Snapshot): Promise<LogRecord> {
    const pack = await this.#database.get(packKey(hash), { snapshot });
    if (!pack || !equalBytes(sha256(pack), hash)) throw damaged(room, seq);
    return { seq, count, pack };
  }

  /** Changes that put a segment; its bytes too when they are there, because those may be damaged. */
  put(room: RoomId, seq: number, { count, pack }: Segment): Change[] {
    const hash = sha256(pack);
    const entry = { seq, count, size: pack.length, hash };
    return [{ type: 'put', key: packKey(hash), value: pack }, ...this.share(room, entry)];
  }

  /** Changes that put a segment the bytes of which are there. */
  share(room: RoomId, { seq, count, size, hash }: SegmentEntry): Change[] {
    const key = keyOf('g', room, seq);
    const entry = new ByteWriter(64);
    entry.varint(count);
    entry.varint(size);
    entry.bytes(hash);
    return [
      { type: 'put', key, value: withChecksum(key, entry) },
      { type: 'put', key: referenceKey(hash, room, seq), value: new Uint8Array() },
    ];
  }

  /** Changes that remove segments, and the bytes that no entry has any more. No other merge may be under way. */
  async remove(room: RoomId, entries: readonly SegmentEntry[]): Promise<Change[]> {
    const references = new Set(entries.map(({ hash, seq }) => referenceKey(hash, room, seq)));
    const keys = [...entries.map(({ seq }) => keyOf('g', room, seq)), ...references];
    for (const { hash } of entries) if (await this.#onlyIn(references, hash)) keys.push(packKey(hash));
    return keys.map((key) => ({ type: 'del', key }));
  }

  async #onlyIn(references: ReadonlySet<string>, hash: Uint8Array): Promise<boolean> {
    const prefix = `r!${toHex(hash)}`;
    for await (const key of this.#database.keys({ gte: `${prefix}!`, lt: `${prefix}"` })) {
      if (!references.has(key)) return false;
    }
    return true;
  }
}

/** Whether an entry of the database is what it was when it was written, as far as it says so. */
export function isSound(key: string, value: Uint8Array): boolean {
  if (key.startsWith('s!')) return key === packKey(sha256(value));
  return !/^[ngoud]!/.test(key) || hasChecksum(key, value);
}

function packKey(hash: Uint8Array): string {
  return `s!${toHex(hash)}`;
}

function referenceKey(hash: Uint8Array, room: RoomId, seq: number): string {
  return `r!${toHex(hash)}!${positionKey(room, seq)}`;
}

function toEntry(key: string, value: Uint8Array): SegmentEntry {
  const input = new ByteReader(checked(key, value));
  return { seq: seqOf(key), count: input.varint(), size: input.varint(), hash: input.bytes(HASH_BYTES) };
}
