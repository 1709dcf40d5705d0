/** Pages of all runs of a store that were read last: a mebibyte. */
const MOST_PAGES = 256;
/** More than a run has. */
const PAGES_A_RUN = 2 ** 26;

export class PageCache {
  /** In the order in which they were used. */
  readonly #pages = new Map<number, Int32Array>();
  #runs = 0;

  /** Number of one more run. */
  newRun(): number {
    return this.#runs++;
  }

  get(run: number, page: number): Int32Array | undefined {
    const name = run * PAGES_A_RUN + page;
    const held = this.#pages.get(name);
    if (!held) return undefined;
    this.#pages.delete(name);
    this.#pages.set(name, held);
    return held;
  }

  put(run: number, page: number, words: Int32Array): Int32Array {
    this.#pages.set(run * PAGES_A_RUN + page, words);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MOST_PAGES) break;
      this.#pages.delete(oldest);
    }
    return words;
  }
}
