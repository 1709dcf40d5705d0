/**
 * SHA-256 continued from a kept state.
 *
 * Nodes of one chain begin with the same 64 bytes. Their state after that block, the midstate, is
 * computed once; an id then costs one compression where hashing the whole node costs two. Nothing is
 * allocated: the digest goes into the caller's words.
 *
 * For one block (up to 55 bytes) it beats the runtime's own SHA-256, which pays for its call. From two
 * blocks on, a runtime that uses the processor's SHA instructions is faster: see `hashRange`.
 */
import { compress } from './compress.js';
import { DIGEST_WORDS, readWords } from './words.js';

const BLOCK_BYTES = 64;
const BLOCK_WORDS = 16;
/** The length of the message fills the last two words of the last block. */
const LENGTH_AT = 14;

export class Midstate {
  /** The state before any block. */
  static readonly start = new Midstate(
    new Int32Array([0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]),
    0,
  );

  private constructor(
    readonly words: Int32Array,
    /** How many bytes it stands for. */
    readonly length: number,
  ) {}

  /** The state after so many bytes of whole blocks. */
  static after(words: Int32Array, length: number): Midstate {
    return new Midstate(words, length);
  }

  static of(block: Uint8Array): Midstate {
    if (block.length !== BLOCK_BYTES) {
      throw new RangeError(`a midstate is of one block of 64 bytes, not ${block.length}`);
    }
    const words = new Int32Array(DIGEST_WORDS);
    readWords(block, 0, pending, 0, BLOCK_WORDS);
    compress(Midstate.start.words, pending, words, 0);
    return new Midstate(words, BLOCK_BYTES);
  }
}

// Scratch for one synchronous call at a time: nothing of it outlives a call.
const pending = new Int32Array(BLOCK_WORDS);
const running = new Int32Array(DIGEST_WORDS);

/** A range or a place outside its array would silently give a wrong digest. */
export function checkRoom(bytes: Uint8Array, from: number, to: number, out: Int32Array, at: number): void {
  if (!(from >= 0 && from <= to && to <= bytes.length)) {
    throw new RangeError(`bytes ${from} to ${to} are not within ${bytes.length}`);
  }
  if (!(at >= 0 && at + DIGEST_WORDS <= out.length)) throw new RangeError(`no room for a digest at word ${at}`);
}

/** Digest of what the midstate stands for ‖ `bytes[from, to)`, as eight words from `out[at]`. */
export function hashFrom(
  midstate: Midstate,
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Int32Array,
  at: number,
): void {
  checkRoom(bytes, from, to, out, at);
  let state = midstate.words;
  let start = from;
  for (; to - start >= BLOCK_BYTES; start += BLOCK_BYTES) {
    readWords(bytes, start, pending, 0, BLOCK_WORDS);
    compress(state, pending, running, 0);
    state = running;
  }
  const used = readTail(bytes, start, to);
  if (used > LENGTH_AT) {
    compress(state, pending, running, 0);
    state = running;
    pending.fill(0);
  }
  const length = midstate.length + (to - from);
  // Without a division in every practical case: it would cost more than a round.
  pending[LENGTH_AT] = length < 0x1_0000_0000 ? length >>> 29 : Math.floor(length / 0x2000_0000);
  pending[LENGTH_AT + 1] = length << 3;
  compress(state, pending, out, at);
}

/** The last incomplete block: its bytes, the end mark 0x80, zeros. Returns how many words are taken. */
function readTail(bytes: Uint8Array, start: number, to: number): number {
  const whole = (to - start) >> 2;
  readWords(bytes, start, pending, 0, whole);
  let last = 0;
  for (let byte = start + whole * 4; byte < to; byte++) last = (last << 8) | (bytes[byte] as number);
  const zeros = 3 - ((to - start) & 3);
  pending[whole] = ((last << 8) | 0x80) << (zeros * 8);
  for (let word = whole + 1; word < BLOCK_WORDS; word++) pending[word] = 0;
  return whole + 1;
}
