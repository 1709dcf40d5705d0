/**
 * Element index: (chain, counter) to what holds the element, a leaf, or a row while a snapshot is loaded.
 *
 * One 32-bit integer per element in pages of 256 counters. A chain's counters may be spread over many sequences;
 * each of them then pays only for the pages it touches. The slot inside the leaf is not kept: finding it is a short
 * scan, and so an entry is rewritten only when a leaf splits.
 *
 * Cost: O(1) while a chain's pages have no holes or the same page is asked again, else a binary search over pages.
 */
const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE - 1;

interface ChainPages {
  /** Which pages of the counter space there are, ascending, and where each lies in the pool. */
  readonly numbers: number[];
  readonly offsets: number[];
}

export class ElementIndex {
  readonly #chains = new Map<number, ChainPages>();
  /** Holder + 1, so that fresh memory means "not held". */
  #pool: Int32Array;
  #used = 0;
  // The page used last: edits cluster, so this saves nearly every search.
  #lastChain = -1;
  #lastPage = -1;
  #lastOffset = 0;

  /** Makes room at once for elements that are about to be assigned. */
  constructor(expected: number) {
    this.#pool = new Int32Array((Math.ceil(expected / PAGE) + 1) * PAGE);
  }

  assign(chain: number, counter: number, count: number, holder: number): void {
    const end = counter + count;
    let at = counter;
    while (at < end) {
      const offset = this.#pageFor(chain, at >>> PAGE_BITS);
      const from = at & PAGE_MASK;
      const to = Math.min(PAGE, from + end - at);
      if (to - from === 1) this.#pool[offset + from] = holder + 1;
      else this.#pool.fill(holder + 1, offset + from, offset + to);
      at += to - from;
    }
  }

  /** The holder, or -1 when the element is not held. */
  find(chain: number, counter: number): number {
    const page = counter >>> PAGE_BITS;
    let offset = this.#lastOffset;
    if (chain !== this.#lastChain || page !== this.#lastPage) {
      const pages = this.#chains.get(chain);
      if (pages === undefined) return -1;
      const index = pageIndex(pages.numbers, page);
      if (pages.numbers[index] !== page) return -1;
      offset = this.#remember(chain, page, pages.offsets[index]!);
    }
    return this.#pool[offset + (counter & PAGE_MASK)]! - 1;
  }

  /** The first held counter in [from, to), or `to`. Passes over pages that are not there. */
  nextHeld(chain: number, from: number, to: number): number {
    const pages = this.#chains.get(chain);
    if (pages === undefined) return to;
    for (let index = pageIndex(pages.numbers, from >>> PAGE_BITS); index < pages.numbers.length; index++) {
      const start = pages.numbers[index]! * PAGE;
      if (start >= to) return to;
      const shift = pages.offsets[index]! - start;
      const end = Math.min(to, start + PAGE);
      for (let at = Math.max(from, start); at < end; at++) if (this.#pool[at + shift] !== 0) return at;
    }
    return to;
  }

  #pageFor(chain: number, page: number): number {
    if (chain === this.#lastChain && page === this.#lastPage) return this.#lastOffset;
    let pages = this.#chains.get(chain);
    if (pages === undefined) this.#chains.set(chain, (pages = { numbers: [], offsets: [] }));
    const index = pageIndex(pages.numbers, page);
    if (pages.numbers[index] !== page) {
      if (this.#used === this.#pool.length) this.#growPool();
      pages.numbers.splice(index, 0, page);
      pages.offsets.splice(index, 0, this.#used);
      this.#used += PAGE;
    }
    return this.#remember(chain, page, pages.offsets[index]!);
  }

  #remember(chain: number, page: number, offset: number): number {
    this.#lastChain = chain;
    this.#lastPage = page;
    this.#lastOffset = offset;
    return offset;
  }

  #growPool(): void {
    const larger = new Int32Array(Math.ceil((this.#used / PAGE) * 1.5) * PAGE);
    larger.set(this.#pool);
    this.#pool = larger;
  }
}

/** The index of a page, or of the first one after it. */
function pageIndex(numbers: number[], page: number): number {
  const { length } = numbers;
  if (length === 0) return 0;
  const guess = page - numbers[0]!;
  if (guess >= 0 && guess < length && numbers[guess] === page) return guess;
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < page) low = middle + 1;
    else high = middle;
  }
  return low;
}
