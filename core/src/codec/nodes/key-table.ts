/**
 * Keys by number, in order of first use: a key is checked and encoded once, whatever the number of ops that name it.
 *
 * Found through their bytes, by open addressing: two tables find each other's keys without a look at text, and no key has
 * an array of its own. Authors choose keys, so their hash depends on numbers that are drawn anew in each process.
 */
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';
import { IntColumn } from '../bytes/columns.js';
import { writeText } from '../bytes/msgpack.js';

export const KEY_BYTES = 4096;

const utf8 = new TextEncoder();
/** A key of so many UTF-16 units fits, whatever they are. */
const SHORT_KEY = KEY_BYTES / 3;

const SALT = new Int32Array(2);
globalThis.crypto.getRandomValues(SALT);
/** Odd, or the multiplication would lose bits. */
const FACTOR = SALT[1]! | 1;

// For one call at a time.
const scratch = new ByteWriter(64);

export class KeyTable {
  readonly names: string[] = [];
  /** Keys as they stand in canonical bytes, one behind the other: MessagePack. */
  readonly encoded = new ByteWriter(64);
  readonly #ends = new IntColumn();
  readonly #hashes = new IntColumn();
  /** Number + 1, or 0 where nothing is. */
  #slots = new Int32Array(16);

  find(name: string): number | undefined {
    if (name.length > KEY_BYTES) return undefined;
    scratch.reset();
    try {
      writeText(scratch, name);
    } catch {
      return undefined; // a lone surrogate: no key has one
    }
    const key = this.#find(scratch.buffer, 0, scratch.length, hashOf(scratch.buffer, 0, scratch.length));
    return key < 0 ? undefined : key;
  }

  /** Throws `DecodeError` for what is no key. [ND5] */
  number(name: string): number {
    checkKey(name);
    scratch.reset();
    writeText(scratch, name);
    const { buffer, length } = scratch;
    const hash = hashOf(buffer, 0, length);
    const known = this.#find(buffer, 0, length, hash);
    return known >= 0 ? known : this.add(name, buffer, 0, length, hash);
  }

  /** The number of another table's key. */
  numberOf(other: KeyTable, key: number): number {
    const { buffer } = other.encoded;
    const start = other.start(key);
    const end = other.end(key);
    const hash = other.#hashes.values[key]!;
    const known = this.#find(buffer, start, end, hash);
    return known >= 0 ? known : this.add(other.names[key]!, buffer, start, end, hash);
  }

  /** A key's bytes, as a view. */
  bytes(key: number): Uint8Array {
    return this.encoded.buffer.subarray(this.start(key), this.end(key));
  }

  /** Where a key's bytes begin in `encoded`, and where they end. */
  start(key: number): number {
    return key === 0 ? 0 : this.#ends.get(key - 1);
  }

  end(key: number): number {
    return this.#ends.get(key);
  }

  /** Adds a key of which bytes [from, to) are the canonical ones, and which is not there. */
  add(name: string, bytes: Uint8Array, from: number, to: number, hash = hashOf(bytes, from, to)): number {
    const key = this.names.length;
    if ((key + 1) * 2 > this.#slots.length) this.#grow(this.#slots.length * 4);
    this.names.push(name);
    this.encoded.copy(bytes, from, to);
    this.#ends.push(this.encoded.length);
    this.#hashes.push(hash);
    this.#put(key);
    return key;
  }

  #find(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const key = this.#slots[slot]! - 1;
      if (key < 0 || (this.#hashes.values[key] === hash && this.holds(key, bytes, from, to))) return key;
    }
  }

  /** Whether bytes [from, to) are those of a key. */
  holds(key: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.start(key);
    const length = to - from;
    if (this.end(key) - start !== length) return false;
    const { buffer } = this.encoded;
    for (let i = 0; i < length; i++) if (buffer[start + i] !== bytes[from + i]) return false;
    return true;
  }

  #put(key: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hashes.values[key]! & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = key + 1;
  }

  /** So many slots at least. */
  #grow(least: number): void {
    this.#slots = new Int32Array(2 ** Math.max(4, Math.ceil(Math.log2(least))));
    for (let key = 0; key < this.names.length; key++) this.#put(key);
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = SALT[0]!;
  for (let i = from; i < to; i++) {
    hash = Math.imul(hash ^ bytes[i]!, FACTOR);
    hash ^= hash >>> 15;
  }
  return hash;
}

function checkKey(key: string): void {
  if (key.length === 0) throw new DecodeError('a key is empty');
  if (key.length <= SHORT_KEY) return;
  const bytes = key.length > KEY_BYTES ? key.length : utf8.encode(key).length;
  if (bytes > KEY_BYTES) throw new DecodeError('a key exceeds 4,096 bytes');
}
