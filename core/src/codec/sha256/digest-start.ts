/**
 * SHA-256 of the beginning of a buffer, written into place: for messages that are put together in one buffer again and
 * again. One block is hashed here, which costs less than a call of the runtime's own; longer ones are handed to that.
 */
import { digestInto } from './digest-into.js';
import { hashFrom, Midstate } from './midstate.js';
import { DIGEST_WORDS, writeDigest } from './words.js';

/** What fits into one block with its end mark and length. */
const ONE_BLOCK = 55;

const words = new Int32Array(DIGEST_WORDS);

/** Writes the 32 bytes of the digest of `bytes[0, length)` from `out[at]`. */
export function digestStart(bytes: Uint8Array, length: number, out: Uint8Array, at: number): void {
  if (length > ONE_BLOCK) return digestInto(bytes.subarray(0, length), out, at);
  hashFrom(Midstate.start, bytes, 0, length, words, 0);
  writeDigest(words, 0, out, at);
}
