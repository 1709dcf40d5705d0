import { DecodeError } from './bytes.js';

/** Reads what `ByteWriter` wrote. Total: every read returns a value or throws `DecodeError`. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get position(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new DecodeError('unexpected end');
    this.#at++;
    return value;
  }

  /** The next byte, which stays. */
  peek(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new DecodeError('unexpected end');
    return value;
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    if (length > this.left) throw new DecodeError('unexpected end');
    const view = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return view;
  }

  uint(size: number): number {
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + this.byte();
    if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError('integer beyond 2^53');
    return value;
  }

  /** Only the shortest form is accepted, so equal values have equal bytes. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (byte === 0 && i > 0) throw new DecodeError('varint is not in its shortest form');
        if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError('integer beyond 2^53');
        return value;
      }
      scale *= 128;
    }
    throw new DecodeError('varint is too long');
  }

  /** A count of things that take at least `unit` bytes each: refused before anything is allocated for it. */
  count(unit: number, limit: number): number {
    const count = this.varint();
    if (count > limit) throw new DecodeError(`count ${count} exceeds the limit ${limit}`);
    if (count * unit > this.left) throw new DecodeError('count exceeds the bytes that follow');
    return count;
  }

  end(): void {
    if (this.left !== 0) throw new DecodeError('trailing bytes');
  }
}
