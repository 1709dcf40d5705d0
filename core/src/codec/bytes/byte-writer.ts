/** A growing byte buffer with the few shapes that packs and canonical nodes are made of. */
import { DIGEST_BYTES, writeDigest } from '../sha256/words.js';
import { toUtf8 } from './bytes.js';
import { grownBytes } from './growth.js';

export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** What somebody else wrote, to be read like what was written here. */
  static over(bytes: Uint8Array): ByteWriter {
    const writer = new ByteWriter(0);
    writer.#bytes = bytes;
    writer.#length = bytes.length;
    return writer;
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Big-endian, `size` of 1 to 8 bytes; values up to 2^53 - 1. */
  uint(value: number, size: number): void {
    this.#reserve(size);
    let rest = value;
    for (let i = size - 1; i >= 0; i--) {
      this.#bytes[this.#length + i] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    this.#length += size;
  }

  /** LEB128, for values up to 2^53 - 1. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Bytes behind their length. */
  sized(value: Uint8Array): void {
    this.varint(value.length);
    this.bytes(value);
  }

  /** Text that holds ASCII alone: no array on the way. */
  ascii(text: string): void {
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i);
  }

  /** The memory behind what was written; the next write may replace it. */
  get buffer(): Uint8Array {
    return this.#bytes;
  }

  /** Bytes [from, to) of another buffer; a loop where a call would cost more than the bytes. */
  copy(source: Uint8Array, from: number, to: number): void {
    const length = to - from;
    this.#reserve(length);
    if (length > 32) this.#bytes.set(source.subarray(from, to), this.#length);
    else for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = source[from + i]!;
    this.#length += length;
  }

  /** In UTF-8; text that holds ASCII alone makes no array on the way. Throws for a lone surrogate. */
  text(text: string): void {
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) return this.bytes(toUtf8(text));
      this.#bytes[this.#length + i] = unit;
    }
    this.#length += text.length;
  }

  /** UTF-16 code units [from, to), two bytes each, big-endian. */
  units(units: Uint16Array, from: number, to: number): void {
    this.#reserve((to - from) * 2);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = from; i < to; i++) {
      const unit = units[i]!;
      bytes[at++] = unit >> 8;
      bytes[at++] = unit;
    }
    this.#length = at;
  }

  /** A digest, as 32 bytes. */
  digest(words: Int32Array, at: number): void {
    this.#reserve(DIGEST_BYTES);
    writeDigest(words, at, this.#bytes, this.#length);
    this.#length += DIGEST_BYTES;
  }

  /** Forgets what was written behind the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** What was written, as a view that the next write may change. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Forgets what was written and keeps the memory. */
  reset(): void {
    this.#length = 0;
  }

  /** What was written since `from`, as a view that stays: nothing writes there again. */
  since(from: number): Uint8Array {
    return this.#bytes.subarray(from, this.#length);
  }

  /** A copy of exactly what was written. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(grownBytes(this.#bytes.length, needed));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
