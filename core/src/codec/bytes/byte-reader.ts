import { DecodeError } from './bytes.js';

/** Reads what `ByteWriter` wrote. Total: every read returns a value or throws `DecodeError`. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #to: number;

  /** Reads bytes [from, to); positions count from the beginning of `bytes`. */
  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#to = to;
  }

  /** All the bytes, those before `position` included. */
  get source(): Uint8Array {
    return this.#bytes;
  }

  get position(): number {
    return this.#at;
  }

  get left(): number {
    return this.#to - this.#at;
  }

  byte(): number {
    if (this.#at >= this.#to) throw new DecodeError('unexpected end');
    return this.#bytes[this.#at++]!;
  }

  /** The next byte, which stays. */
  peek(): number {
    if (this.#at >= this.#to) throw new DecodeError('unexpected end');
    return this.#bytes[this.#at]!;
  }

  /** Passes over bytes; answers where they begin. Costs less than a view. */
  skip(length: number): number {
    if (length > this.left) throw new DecodeError('unexpected end');
    const from = this.#at;
    this.#at += length;
    return from;
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    if (length > this.left) throw new DecodeError('unexpected end');
    const view = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return view;
  }

  /** Bytes behind their length, as a view. */
  sized(): Uint8Array {
    return this.bytes(this.count(1, Number.MAX_SAFE_INTEGER));
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
