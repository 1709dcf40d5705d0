/**
 * Bytes of all blobs of a store: counted once by looking at them, then kept by what comes and goes here. Others may have the same
 * bytes, and a count takes its time: it is taken again, the more seldom the longer it takes.
 */
import type { BlobBytes } from '../ports/blob-bytes.js';

/** Least time between two counts, and how many times as long as the last one took. */
const LEAST_MS = 60_000;
const SHARE = 1000;

export class StoredBytes {
  readonly #bytes: Pick<BlobBytes, 'total'>;
  #counted: Promise<number> | undefined;
  /** What came since the count began, less what went since it ended: never less than there is. */
  #since = 0;
  #isCounting = false;
  #nextAt = 0;

  constructor(bytes: Pick<BlobBytes, 'total'>) {
    this.#bytes = bytes;
  }

  async now(): Promise<number> {
    if (!this.#counted || (!this.#isCounting && performance.now() >= this.#nextAt)) this.#counted = this.#count();
    const counted = await this.#counted;
    return Math.max(0, counted + this.#since);
  }

  changed(by: number): void {
    if (by > 0 || !this.#isCounting) this.#since += by;
  }

  async #count(): Promise<number> {
    const began = performance.now();
    this.#isCounting = true;
    this.#since = 0;
    try {
      return await this.#bytes.total();
    } catch (error) {
      this.#counted = undefined;
      throw error;
    } finally {
      this.#isCounting = false;
      const now = performance.now();
      this.#nextAt = now + Math.max(LEAST_MS, (now - began) * SHARE);
    }
  }
}
