/**
 * Database of the log, as its parts share it: keys of positions in a room's log, and values that end with a
 * CRC-32 of their key and themselves, so that nothing damaged is read, nor anything in place of another.
 */
import { crc32 } from 'node:zlib';
import type { Level } from 'level';
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { StoreError } from '../../ports/store.js';
import { RESTORE } from './disk.js';

export type LogDatabase = Level<string, Uint8Array>;
/** The database as it was at one moment. */
export type Snapshot = ReturnType<LogDatabase['snapshot']>;

export type Change =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

/** A table by position: records one by one, segments, or where a log goes its own way. */
export type Table = 'n' | 'g' | 'o' | 'u' | 'd';

/** Databases that can give back the space of what was deleted, as LevelDB does. */
interface Compacting {
  compactRange(from: string, to: string): Promise<void>;
}

/** Writes anew what holds entries that were deleted, so that nothing of them is on the disk any more. */
export async function compactAll(database: LogDatabase): Promise<void> {
  if (isCompacting(database)) await database.compactRange('', '\u{10ffff}');
}

function isCompacting(database: object): database is Compacting {
  return 'compactRange' in database;
}

const CHECKSUM_BYTES = 4;

export function keyOf(table: Table, room: RoomId, seq: number): string {
  return `${table}!${positionKey(room, seq)}`;
}

export function positionKey(room: RoomId, seq: number): string {
  return `${room}!${seq.toString(16).padStart(14, '0')}`;
}

/** Room ids hold no character below `-`, so `!` ends them and `"` follows all of a room's keys. */
export function rangeOf(table: Table, room: RoomId): { gte: string; lt: string } {
  return { gte: `${table}!${room}!`, lt: `${table}!${room}"` };
}

export function seqOf(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf('!') + 1), 16);
}

/** The first room with an entry in the table behind another room; `''` is before all. */
export async function roomAfter(database: LogDatabase, table: Table, room: RoomId | ''): Promise<RoomId | undefined> {
  const range = { gt: `${table}!${room}"`, lt: `${table}"`, limit: 1 };
  for await (const key of database.keys(range)) return key.slice(2, key.indexOf('!', 2)) as RoomId;
  return undefined;
}

/** What was written, with its checksum. */
export function withChecksum(key: string, out: ByteWriter): Uint8Array {
  out.uint(checksum(key, out.view()), CHECKSUM_BYTES);
  return out.view();
}

/** The value without its checksum. */
export function checked(key: string, value: Uint8Array): Uint8Array {
  if (hasChecksum(key, value)) return value.subarray(0, value.length - CHECKSUM_BYTES);
  const [, room = ''] = key.split('!');
  throw damaged(room, seqOf(key));
}

export function hasChecksum(key: string, value: Uint8Array): boolean {
  const at = value.length - CHECKSUM_BYTES;
  return at >= 0 && new ByteReader(value, at).uint(CHECKSUM_BYTES) === checksum(key, value.subarray(0, at));
}

export function damaged(room: string, seq: number): StoreError {
  return new StoreError('damaged', `the log of room ${room} is damaged at position ${seq}; ${RESTORE}`);
}

function checksum(key: string, body: Uint8Array): number {
  return crc32(body, crc32(key));
}
