/**
 * Canonical MessagePack for structure: shortest integers and lengths, no maps, no floats.
 *
 * Node ids are hashes of these bytes, so a reader accepts exactly one form of each value.
 * Application values are opaque here: `readValue` only checks that one well-formed item is there.
 * Any MessagePack library can read the result.
 */
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import { DecodeError, fromUtf8, toUtf8 } from './bytes.js';
import { isAscii, readItem, writeCount, writeHead, writeItem } from './value-items.js';

const NIL = 0xc0;
const MAX_DEPTH = 64;

export function writeNil(out: ByteWriter): void {
  out.byte(NIL);
}

export function writeUint(out: ByteWriter, value: number): void {
  if (value < 0x80) return out.byte(value);
  const size = value <= 0xff ? 1 : value <= 0xffff ? 2 : value <= 0xffffffff ? 4 : 8;
  out.byte(size === 1 ? 0xcc : size === 2 ? 0xcd : size === 4 ? 0xce : 0xcf);
  out.uint(value, size);
}

export function writeArray(out: ByteWriter, length: number): void {
  writeCount(out, length, 0x90, 0xdc);
}

export function writeText(out: ByteWriter, value: string): void {
  if (value.length < 32 && isAscii(value)) {
    // Keys and keystrokes: no array per text.
    out.byte(0xa0 | value.length);
    out.ascii(value);
    return;
  }
  const bytes = toUtf8(value);
  writeTextHead(out, bytes.length);
  out.bytes(bytes);
}

/** The head of a text of so many bytes of UTF-8. */
export function writeTextHead(out: ByteWriter, length: number): void {
  writeHead(out, length, 0xa0, 32, 0xd9);
}

export function readUint(input: ByteReader): number {
  const tag = input.byte();
  if (tag < 0x80) return tag;
  const size = tag === 0xcc ? 1 : tag === 0xcd ? 2 : tag === 0xce ? 4 : tag === 0xcf ? 8 : 0;
  if (size === 0) throw new DecodeError('expected an unsigned integer');
  const value = input.uint(size);
  const least = size === 1 ? 0x80 : size === 2 ? 0x100 : size === 4 ? 0x10000 : 0x100000000;
  if (value < least) throw new DecodeError('integer is not in its shortest form');
  return value;
}

/** True, and consumed, when the next item is nil. */
export function takeNil(input: ByteReader): boolean {
  if (input.peek() !== NIL) return false;
  input.byte();
  return true;
}

/** An unsigned integer, or undefined for nil. */
export function readOptionalUint(input: ByteReader): number | undefined {
  return takeNil(input) ? undefined : readUint(input);
}

export function readArray(input: ByteReader, limit: number): number {
  const tag = input.byte();
  let length: number;
  if (tag >= 0x90 && tag < 0xa0) length = tag & 0x0f;
  else if (tag === 0xdc) length = atLeast(input.uint(2), 16);
  else if (tag === 0xdd) length = atLeast(input.uint(4), 0x10000);
  else throw new DecodeError('expected an array');
  if (length > limit) throw new DecodeError(`array of ${length} items exceeds the limit ${limit}`);
  if (length > input.left) throw new DecodeError('unexpected end');
  return length;
}

export function readBytes(input: ByteReader): Uint8Array {
  const tag = input.byte();
  if (tag === 0xc4) return input.bytes(input.uint(1));
  if (tag === 0xc5) return input.bytes(atLeast(input.uint(2), 0x100));
  if (tag === 0xc6) return input.bytes(atLeast(input.uint(4), 0x10000));
  throw new DecodeError('expected bytes');
}

export function readText(input: ByteReader): string {
  return fromUtf8(input.bytes(readTextHead(input)));
}

/** How many bytes of UTF-8 follow. */
export function readTextHead(input: ByteReader): number {
  const tag = input.byte();
  if (tag >= 0xa0 && tag < 0xc0) return tag & 0x1f;
  if (tag === 0xd9) return atLeast(input.uint(1), 32);
  if (tag === 0xda) return atLeast(input.uint(2), 0x100);
  if (tag === 0xdb) return atLeast(input.uint(4), 0x10000);
  throw new DecodeError('expected text');
}

function atLeast(length: number, least: number): number {
  if (length < least) throw new DecodeError('length is not in its shortest form');
  return length;
}

/** The bytes of one well-formed MessagePack item, whatever it is. Iterative; nesting is bounded. */
export function readValue(input: ByteReader, source: Uint8Array): Uint8Array {
  const start = input.position;
  skipValue(input);
  return source.subarray(start, input.position);
}

/** Passes over one value without a view of it. */
export function skipValue(input: ByteReader): void {
  const first = skipItem(input);
  if (first === 0) return;
  if (first > input.left) throw new DecodeError('unexpected end');
  const open: number[] = [0, first];
  while (open.length > 0) {
    const depth = open.length - 1;
    const remaining = open[depth] ?? 0;
    if (remaining === 0) {
      open.pop();
      continue;
    }
    open[depth] = remaining - 1;
    const children = skipItem(input);
    if (children === 0) continue;
    if (children > input.left) throw new DecodeError('unexpected end');
    if (open.length >= MAX_DEPTH) throw new DecodeError('value is nested too deeply');
    open.push(children);
  }
}

/** Consumes one item's head and payload; returns how many items follow as its children. */
function skipItem(input: ByteReader): number {
  const tag = input.byte();
  if (tag < 0x80 || tag >= 0xe0) return 0;
  if (tag < 0x90) return (tag & 0x0f) * 2;
  if (tag < 0xa0) return tag & 0x0f;
  if (tag < 0xc0) return skip(input, tag & 0x1f);
  if (tag >= 0xdc) return input.uint(tag & 1 ? 4 : 2) * (tag < 0xde ? 1 : 2);
  if (tag >= 0xd9) return skip(input, input.uint(1 << (tag - 0xd9)));
  if (tag >= 0xd4) return skip(input, 1 + (1 << (tag - 0xd4)));
  if (tag >= 0xcc) return skip(input, 1 << (tag & 3));
  if (tag >= 0xca) return skip(input, tag === 0xca ? 4 : 8);
  if (tag >= 0xc7) return skip(input, 1 + input.uint(1 << (tag - 0xc7)));
  if (tag >= 0xc4) return skip(input, input.uint(1 << (tag - 0xc4)));
  if (tag === 0xc1) throw new DecodeError('not MessagePack');
  return 0;
}

function skip(input: ByteReader, length: number): 0 {
  input.skip(length);
  return 0;
}

/** Memory that is written into again and again, unless one value is written in the middle of another. */
let spare: ByteWriter | undefined;
const SPARE_BYTES = 1024;
/** What a large value took is given back. */
const MOST_SPARE_BYTES = 1024 * 1024;

/** Encodes an application value (JSON-like data, bytes, dates); throws when no reader would take the result. */
export function encodeValue(value: unknown): Uint8Array<ArrayBuffer> {
  const out = spare ?? new ByteWriter(SPARE_BYTES);
  spare = undefined;
  writeItem(out, value, MAX_DEPTH - 1);
  const bytes = out.finish();
  if (out.buffer.length <= MOST_SPARE_BYTES) {
    out.reset();
    spare = out;
  }
  return bytes;
}

/**
 * Never throws: other writers may store well-formed items that have no JavaScript form (a map with a list as its
 * key, say). Such a value is given as its MessagePack bytes. [ND4] Bytes within it are copies: what the caller does to them
 * is its own affair.
 */
export function decodeValue(bytes: Uint8Array): unknown {
  const copy = bytes.slice();
  const input = new ByteReader(copy);
  try {
    const value = readItem(input);
    input.end();
    return value;
  } catch {
    return copy;
  }
}
