/**
 * Segments of rooms' logs, in the database of the logs:
 *
 *   g!<room>!<seq, 14 hex digits>            ->  node count (varint) ‖ bytes of the pack (varint) ‖ its SHA-256 ‖ checksum
 *   s!<SHA-256, hex>                         ->  the pack, once however many rooms have it
 *   r!<SHA-256, hex>!<room>!<seq, as above>  ->  nothing: that place has this pack, which stays until the last one goes
 *
 * What is changed is told as changes, for one batch with what else is part of a merge.
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { equalBytes, toHex } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import type { RoomId } from '../../graph/room-id.js';
import type { LogRecord, Segment } from '../../ports/store.js';
import {
  type Change,
  type LogDatabase,
  type Snapshot,
  checked,
  damaged,
  hasChecksum,
  keyOf,
  placeOf,
  rangeOf,
  seqOf,
  withChecksum,
} from './log-database.js';

/** Where a segment stands in a room's log. */
export interface Place {
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

  async places(room: RoomId, snapshot?: Snapshot): Promise<Place[]> {
    const places: Place[] = [];
    // Not by `all`: for that the database makes room for a thousand entries, and most rooms have none.
    for await (const [key, value] of this.#database.iterator({ ...rangeOf('g', room), snapshot }))
      places.push(toPlace(key, value));
    return places;
  }

  /** From the one on that holds a position, if there is one. */
  async *from(room: RoomId, seq: number, snapshot: Snapshot): AsyncGenerator<Place> {
    const { gte, lt } = rangeOf('g', room);
    const upTo = { gte, lte: keyOf('g', room, seq), reverse: true, limit: 1, snapshot };
    const [first = gte] = await this.#database.keys(upTo).all();
    for await (const [key, value] of this.#database.iterator({ gte: first, lt, snapshot })) {
      const place = toPlace(key, value);
      if (place.seq + place.count > seq) yield place;
    }
  }

  async last(room: RoomId): Promise<Place | undefined> {
    const range = { ...rangeOf('g', room), reverse: true, limit: 1 };
    for await (const [key, value] of this.#database.iterator(range)) return toPlace(key, value);
    return undefined;
  }

  async read(room: RoomId, { seq, count, hash }: Place, snapshot: Snapshot): Promise<LogRecord> {
    const pack = await this.#database.get(packKey(hash), { snapshot });
    if (!pack || !equalBytes(sha256(pack), hash)) throw damaged(room, seq);
    return { seq, count, pack };
  }

  /** Changes that put a segment; its bytes too when they are there, because those may be damaged. */
  put(room: RoomId, seq: number, { count, pack }: Segment): Change[] {
    const hash = sha256(pack);
    const place = { seq, count, size: pack.length, hash };
    return [{ type: 'put', key: packKey(hash), value: pack }, ...this.share(room, place)];
  }

  /** Changes that put a segment the bytes of which are there. */
  share(room: RoomId, { seq, count, size, hash }: Place): Change[] {
    const key = keyOf('g', room, seq);
    const place = new ByteWriter(64);
    place.varint(count);
    place.varint(size);
    place.bytes(hash);
    return [
      { type: 'put', key, value: withChecksum(key, place) },
      { type: 'put', key: referenceKey(hash, room, seq), value: new Uint8Array() },
    ];
  }

  /** Changes that remove segments, and the bytes that no place has any more. No other merge may be under way. */
  async remove(room: RoomId, places: readonly Place[]): Promise<Change[]> {
    const references = new Set(places.map(({ hash, seq }) => referenceKey(hash, room, seq)));
    const keys = [...places.map(({ seq }) => keyOf('g', room, seq)), ...references];
    for (const { hash } of places) if (await this.#onlyIn(references, hash)) keys.push(packKey(hash));
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
  return !/^[ngo]!/.test(key) || hasChecksum(key, value);
}

function packKey(hash: Uint8Array): string {
  return `s!${toHex(hash)}`;
}

function referenceKey(hash: Uint8Array, room: RoomId, seq: number): string {
  return `r!${toHex(hash)}!${placeOf(room, seq)}`;
}

function toPlace(key: string, value: Uint8Array): Place {
  const input = new ByteReader(checked(key, value));
  return { seq: seqOf(key), count: input.varint(), size: input.varint(), hash: input.bytes(HASH_BYTES) };
}
