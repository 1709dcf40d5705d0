/**
 * SHA-256 of whole messages, written into place: no object per digest.
 *
 * Two implementations with identical answers, as bytes or as words: the runtime's own where it has one,
 * the portable one elsewhere.
 */
import { checkRoom, hashFrom, Midstate } from './midstate.js';
import { nativeDigestText } from './native-digest.js';
import type { DigestText } from './native-digest.js';
import { DIGEST_BYTES, DIGEST_WORDS, writeDigest } from './words.js';

/** Writes the 32 bytes of the digest of `bytes` from `out[at]`. */
export type DigestInto = (bytes: Uint8Array, out: Uint8Array, at: number) => void;

/** Writes the 8 words of the digest of `bytes[from, to)` from `out[at]`. */
export type HashRange = (bytes: Uint8Array, from: number, to: number, out: Int32Array, at: number) => void;

const scratch = new Int32Array(DIGEST_WORDS);

export const portableDigestInto: DigestInto = (bytes, out, at) => {
  hashFrom(Midstate.start, bytes, 0, bytes.length, scratch, 0);
  writeDigest(scratch, 0, out, at);
};

export const portableHashRange: HashRange = (bytes, from, to, out, at) =>
  hashFrom(Midstate.start, bytes, from, to, out, at);

export function digestIntoBy(native: DigestText): DigestInto {
  return (bytes, out, at) => {
    const text = native(bytes);
    for (let i = 0; i < DIGEST_BYTES; i++) out[at + i] = text.charCodeAt(i);
  };
}

export function hashRangeBy(native: DigestText): HashRange {
  return (bytes, from, to, out, at) => {
    checkRoom(bytes, from, to, out, at);
    const text = native(bytes.subarray(from, to));
    for (let word = at, i = 0; i < DIGEST_BYTES; word++, i += 4) {
      out[word] =
        (text.charCodeAt(i) << 24) |
        (text.charCodeAt(i + 1) << 16) |
        (text.charCodeAt(i + 2) << 8) |
        text.charCodeAt(i + 3);
    }
  };
}

const native = nativeDigestText();

export const digestInto: DigestInto = native ? digestIntoBy(native) : portableDigestInto;
export const hashRange: HashRange = native ? hashRangeBy(native) : portableHashRange;
