/** SHA-256 of what comes in pieces, where the runtime has none of its own. */
import { compress } from './compress.js';
import { Midstate, hashFrom } from './midstate.js';
import { DIGEST_WORDS, digestBytes, readWords } from './words.js';

const BLOCK_BYTES = 64;
const BLOCK_WORDS = 16;

const block = new Int32Array(BLOCK_WORDS);

export class Sha256Stream {
  readonly #state = Midstate.start.words.slice();
  /** What came behind the last whole block. */
  readonly #rest = new Uint8Array(BLOCK_BYTES);
  #length = 0;

  update(bytes: Uint8Array): void {
    let at = 0;
    const used = this.#length % BLOCK_BYTES;
    this.#length += bytes.length;
    if (used > 0) {
      at = Math.min(bytes.length, BLOCK_BYTES - used);
      this.#rest.set(bytes.subarray(0, at), used);
      if (used + at < BLOCK_BYTES) return;
      this.#take(this.#rest, 0);
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) this.#take(bytes, at);
    this.#rest.set(bytes.subarray(at));
  }

  #take(bytes: Uint8Array, at: number): void {
    readWords(bytes, at, block, 0, BLOCK_WORDS);
    compress(this.#state, block, this.#state, 0);
  }

  /** Ends it. */
  digest(): Uint8Array {
    const used = this.#length % BLOCK_BYTES;
    const words = new Int32Array(DIGEST_WORDS);
    hashFrom(Midstate.after(this.#state, this.#length - used), this.#rest, 0, used, words, 0);
    return digestBytes(words);
  }
}
