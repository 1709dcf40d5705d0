/**
 * SHA-256 words: 32-bit integers and the bytes and hex that they stand for, most significant byte first.
 *
 * A digest kept as eight words of an `Int32Array` costs 32 bytes and no object of its own; a `Uint8Array`
 * per digest costs several times that.
 */
import { toHex } from '../bytes/bytes.js';

export const DIGEST_WORDS = 8;
export const DIGEST_BYTES = 32;

/** Reads words until `out[at..end)` is full. */
export function readWords(bytes: Uint8Array, from: number, out: Int32Array, at: number, end: number): void {
  for (let word = at, byte = from; word < end; word++, byte += 4) {
    out[word] =
      ((bytes[byte] as number) << 24) |
      ((bytes[byte + 1] as number) << 16) |
      ((bytes[byte + 2] as number) << 8) |
      (bytes[byte + 3] as number);
  }
}

/** Writes the eight words of the digest at `words[from]`. */
export function writeDigest(words: Int32Array, from: number, out: Uint8Array, at: number): void {
  for (let word = from, byte = at; word < from + DIGEST_WORDS; word++, byte += 4) {
    const value = words[word] as number;
    out[byte] = value >>> 24;
    out[byte + 1] = value >>> 16;
    out[byte + 2] = value >>> 8;
    out[byte + 3] = value;
  }
}

export function digestBytes(words: Int32Array, from = 0): Uint8Array {
  const out = new Uint8Array(DIGEST_BYTES);
  writeDigest(words, from, out, 0);
  return out;
}

/** Bytes of the digest that is just becoming text: one allocation less for each. */
const passing = new Uint8Array(DIGEST_BYTES);

export function digestHex(words: Int32Array, from = 0): string {
  writeDigest(words, from, passing, 0);
  return toHex(passing);
}

/** The words of a 32-byte digest. */
export function digestWords(bytes: Uint8Array): Int32Array {
  if (bytes.length !== DIGEST_BYTES) throw new RangeError(`a digest is 32 bytes, not ${bytes.length}`);
  const out = new Int32Array(DIGEST_WORDS);
  readWords(bytes, 0, out, 0, DIGEST_WORDS);
  return out;
}
