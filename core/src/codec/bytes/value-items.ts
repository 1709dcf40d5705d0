/**
 * Application values as MessagePack: JSON-like data, bytes and dates. Structure has its own, stricter form: see `msgpack`.
 *
 * Written by hand for what values are: a library that takes all of MessagePack weighs more in a page than the texts do. A
 * test holds both directions to that library, byte for byte.
 */
import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';

/** Type of the extension that is a point in time. */
const TIMESTAMP = 0xff;
/** Lists and maps that may stand within each other when they are read. What is written is bounded by who checks it. */
const MOST_DEPTH = 128;
/** Text shorter than this is cheaper to read and write by hand. */
const SHORT = 64;

const utf8 = new TextEncoder();
/** Lenient: what other writers have stored is shown, with U+FFFD for what is no text. */
const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const float = new DataView(new ArrayBuffer(8));

/** Extension of a type that this side knows nothing of. */
export class Extension {
  readonly type: number;
  readonly data: Uint8Array;

  constructor(type: number, data: Uint8Array) {
    this.type = type;
    this.data = data;
  }
}

/** Throws for what has no MessagePack form, and for what is nested deeper than `depth`, as what contains itself is. */
export function writeItem(out: ByteWriter, value: unknown, depth: number): void {
  if (value === null || value === undefined) return out.byte(0xc0);
  if (typeof value === 'string') return writeString(out, value);
  if (typeof value === 'number') return writeNumber(out, value);
  if (typeof value === 'boolean') return out.byte(value ? 0xc3 : 0xc2);
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is not data`);
  if (Array.isArray(value)) return writeList(out, value, depth);
  if (ArrayBuffer.isView(value)) return writeBytes(out, value);
  if (value instanceof Date) return writeTime(out, value.getTime());
  if (value instanceof Extension) return writeExtension(out, value.type, value.data);
  writeMap(out, value as Readonly<Record<string, unknown>>, depth);
}

function writeString(out: ByteWriter, text: string): void {
  const { length } = text;
  if (length < SHORT && isAscii(text)) {
    if (length < 32) out.byte(0xa0 | length);
    else writeHead(out, length, 0, 0, 0xd9);
    return out.ascii(text);
  }
  const bytes = utf8.encode(text);
  writeHead(out, bytes.length, 0xa0, 32, 0xd9);
  out.bytes(bytes);
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** Length below `few` in the tag itself, above it in 1, 2 or 4 bytes behind one of three tags that follow each other. */
export function writeHead(out: ByteWriter, length: number, fixed: number, few: number, tag: number): void {
  if (length < few) return out.byte(fixed | length);
  const size = length < 0x100 ? 1 : length < 0x10000 ? 2 : 4;
  out.byte(tag + (size >> 1));
  out.uint(length, size);
}

function writeNumber(out: ByteWriter, value: number): void {
  if (!Number.isSafeInteger(value)) return writeFloat(out, value);
  if (value >= -32 && value < 128) return out.byte(value & 0xff);
  const isSigned = value < 0;
  // Magnitude in two's complement: -1 takes no bits beside the sign.
  const most = isSigned ? -value - 1 : value;
  const bits = isSigned ? 1 : 0;
  const size = most < 2 ** (8 - bits) ? 1 : most < 2 ** (16 - bits) ? 2 : most < 2 ** (32 - bits) ? 4 : 8;
  out.byte((isSigned ? 0xd0 : 0xcc) + Math.log2(size));
  writeInteger(out, value, size);
}

/** In two's complement. */
function writeInteger(out: ByteWriter, value: number, size: number): void {
  if (value >= 0) return out.uint(value, size);
  if (size < 8) return out.uint(value + 2 ** (8 * size), size);
  float.setBigInt64(0, BigInt(value));
  writeScratch(out);
}

function writeFloat(out: ByteWriter, value: number): void {
  out.byte(0xcb);
  float.setFloat64(0, value);
  writeScratch(out);
}

function writeScratch(out: ByteWriter): void {
  for (let i = 0; i < 8; i++) out.byte(float.getUint8(i));
}

function writeBytes(out: ByteWriter, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
  writeHead(out, byteLength, 0, 0, 0xc4);
  out.bytes(new Uint8Array(buffer, byteOffset, byteLength));
}

function writeList(out: ByteWriter, list: readonly unknown[], depth: number): void {
  writeCount(out, list.length, 0x90, 0xdc);
  if (depth === 0 && list.length > 0) throw new DecodeError('value is nested too deeply');
  for (const item of list) writeItem(out, item, depth - 1);
}

/** Own fields by name, but those that are undefined. */
function writeMap(out: ByteWriter, map: Readonly<Record<string, unknown>>, depth: number): void {
  const names = Object.keys(map);
  let count = 0;
  for (const name of names) if (map[name] !== undefined) count++;
  writeCount(out, count, 0x80, 0xde);
  if (depth === 0 && count > 0) throw new DecodeError('value is nested too deeply');
  for (const name of names) {
    const value = map[name];
    if (value === undefined) continue;
    writeString(out, name);
    writeItem(out, value, depth - 1);
  }
}

/** Counts know no form of one byte behind their tag. */
export function writeCount(out: ByteWriter, count: number, fixed: number, tag: number): void {
  if (count < 16) return out.byte(fixed | count);
  const isShort = count < 0x10000;
  out.byte(isShort ? tag : tag + 1);
  out.uint(count, isShort ? 2 : 4);
}

/** Seconds in the fewest of 4, 8 and 12 bytes; with nanoseconds from 8 on. */
function writeTime(out: ByteWriter, ms: number): void {
  if (Number.isNaN(ms)) throw new TypeError('an invalid date is not data');
  const seconds = Math.floor(ms / 1000);
  const nanoseconds = (ms - seconds * 1000) * 1_000_000;
  if (seconds < 0 || seconds >= 2 ** 34) {
    out.byte(0xc7);
    out.byte(12);
    out.byte(TIMESTAMP);
    out.uint(nanoseconds, 4);
    return writeInteger(out, seconds, 8);
  }
  const isWhole = nanoseconds === 0 && seconds < 2 ** 32;
  out.byte(isWhole ? 0xd6 : 0xd7);
  out.byte(TIMESTAMP);
  // Nanoseconds in 30 bits, and the two highest of 34 of the seconds.
  if (!isWhole) out.uint(nanoseconds * 4 + Math.floor(seconds / 2 ** 32), 4);
  out.uint(seconds % 2 ** 32, 4);
}

const FIXED_EXTENSIONS = [1, 2, 4, 8, 16];

function writeExtension(out: ByteWriter, type: number, data: Uint8Array): void {
  const fixed = FIXED_EXTENSIONS.indexOf(data.length);
  if (fixed >= 0) out.byte(0xd4 + fixed);
  else writeHead(out, data.length, 0, 0, 0xc7);
  out.byte(type & 0xff);
  out.bytes(data);
}

/** Throws for what has no form here. Bytes in what it answers are views. */
export function readItem(input: ByteReader, depth = MOST_DEPTH): unknown {
  const tag = input.byte();
  if (tag < 0x80) return tag;
  if (tag < 0x90) return readMap(input, tag & 0x0f, depth);
  if (tag < 0xa0) return readList(input, tag & 0x0f, depth);
  if (tag < 0xc0) return readString(input, tag & 0x1f);
  if (tag >= 0xe0) return tag - 0x100;
  if (tag === 0xc0) return null;
  if (tag === 0xc2 || tag === 0xc3) return tag === 0xc3;
  if (tag === 0xca) return read(input, 4).getFloat32(0);
  if (tag === 0xcb) return read(input, 8).getFloat64(0);
  if (tag >= 0xcc && tag <= 0xce) return input.uint(1 << (tag - 0xcc));
  if (tag === 0xcf) return Number(read(input, 8).getBigUint64(0));
  if (tag >= 0xd0 && tag <= 0xd3) return readSigned(input, 1 << (tag - 0xd0));
  if (tag >= 0xd9 && tag <= 0xdb) return readString(input, input.uint(1 << (tag - 0xd9)));
  if (tag >= 0xc4 && tag <= 0xc6) return input.bytes(input.uint(1 << (tag - 0xc4)));
  if (tag === 0xdc || tag === 0xdd) return readList(input, input.uint(tag === 0xdc ? 2 : 4), depth);
  if (tag === 0xde || tag === 0xdf) return readMap(input, input.uint(tag === 0xde ? 2 : 4), depth);
  if (tag >= 0xd4 && tag <= 0xd8) return readExtension(input, 1 << (tag - 0xd4));
  if (tag >= 0xc7 && tag <= 0xc9) return readExtension(input, input.uint(1 << (tag - 0xc7)));
  throw new DecodeError('not MessagePack');
}

function read(input: ByteReader, size: number): DataView {
  for (let i = 0; i < size; i++) float.setUint8(i, input.byte());
  return float;
}

function readSigned(input: ByteReader, size: number): number {
  if (size === 8) return Number(read(input, 8).getBigInt64(0));
  const value = input.uint(size);
  return value < 2 ** (8 * size - 1) ? value : value - 2 ** (8 * size);
}

function readString(input: ByteReader, length: number): string {
  if (length >= SHORT) return fromUtf8.decode(input.bytes(length));
  const from = input.skip(length);
  const { source } = input;
  let text = '';
  for (let i = from; i < from + length; i++) {
    const byte = source[i]!;
    if (byte > 0x7f) return fromUtf8.decode(source.subarray(from, from + length));
    text += String.fromCharCode(byte);
  }
  return text;
}

function readList(input: ByteReader, count: number, depth: number): unknown[] {
  checkCount(input, count, depth);
  const list: unknown[] = [];
  for (let i = 0; i < count; i++) list.push(readItem(input, depth - 1));
  return list;
}

function readMap(input: ByteReader, count: number, depth: number): Record<string, unknown> {
  checkCount(input, count * 2, depth);
  const map: Record<string, unknown> = {};
  for (let i = 0; i < count; i++) {
    const name = readItem(input, depth - 1);
    if (typeof name === 'string' ? name === '__proto__' : typeof name !== 'number')
      throw new DecodeError('this name cannot be one of a field');
    map[String(name)] = readItem(input, depth - 1);
  }
  return map;
}

function checkCount(input: ByteReader, count: number, depth: number): void {
  if (count > input.left) throw new DecodeError('unexpected end');
  if (count > 0 && depth === 0) throw new DecodeError('value is nested too deeply');
}

function readExtension(input: ByteReader, length: number): Date | Extension {
  const type = input.byte();
  if (type !== TIMESTAMP) return new Extension(type < 0x80 ? type : type - 0x100, input.bytes(length));
  if (length === 4) return new Date(input.uint(4) * 1000);
  if (length === 8) {
    const high = input.uint(4);
    return timeOf((high & 3) * 2 ** 32 + input.uint(4), high >>> 2);
  }
  if (length !== 12) throw new DecodeError('this is no point in time');
  const nanoseconds = input.uint(4);
  return timeOf(readSigned(input, 8), nanoseconds);
}

function timeOf(seconds: number, nanoseconds: number): Date {
  return new Date(seconds * 1000 + nanoseconds / 1_000_000);
}
