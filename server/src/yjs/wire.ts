/** Messages of Yjs clients as bytes: variable-length numbers, and byte strings behind their length. Of `y-protocols`, what a server reads and writes. */

export const MESSAGE = { sync: 0, awareness: 1, auth: 2, queryAwareness: 3 } as const;
export const SYNC = { step1: 0, step2: 1, update: 2 } as const;

/** Reads what a client has sent; throws a `RangeError` for what is cut or no number. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  uint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('the message is cut');
      value += (byte & 0x7f) * scale;
      if (byte >= 0x80) continue;
      if (Number.isSafeInteger(value)) return value;
      break;
    }
    throw new RangeError('the number is too large');
  }

  /** A view, not a copy. */
  bytes(): Uint8Array {
    const length = this.uint();
    if (length > this.#bytes.length - this.#at) throw new RangeError('the message is cut');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return Buffer.from(this.bytes()).toString('utf8');
  }
}

/** A message of numbers, and of bytes and texts behind their lengths. */
export function message(...parts: readonly (number | string | Uint8Array)[]): Uint8Array {
  const written: Uint8Array[] = [];
  for (const part of parts) {
    if (typeof part === 'number') written.push(uint(part));
    else {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      written.push(uint(bytes.length), bytes);
    }
  }
  return Uint8Array.from(Buffer.concat(written));
}

function uint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
