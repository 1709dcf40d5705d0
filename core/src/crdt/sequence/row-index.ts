/**
 * Row index: which row of a snapshot holds an element, found by bisection over rows in the order of (chain, start).
 *
 * It takes four bytes a row. What a row says of its length costs nothing: a few bytes can claim two thousand million
 * elements, and an entry for each would be asked for before anything is known of them.
 */
export class RowIndex {
  readonly #chains: Int32Array;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  /** Rows by chain, then by start. */
  readonly #sorted: Int32Array;

  constructor(chains: Int32Array, starts: Int32Array, lengths: Int32Array) {
    [this.#chains, this.#starts, this.#lengths] = [chains, starts, lengths];
    this.#sorted = Int32Array.from(chains.keys());
    this.#sorted.sort((a, b) => chains[a]! - chains[b]! || starts[a]! - starts[b]! || a - b);
  }

  /** A row with an element that another row has too, or -1. */
  repeated(): number {
    for (let i = 1; i < this.#sorted.length; i++) {
      const [before, row] = [this.#sorted[i - 1]!, this.#sorted[i]!];
      if (this.#holds(before, this.#chains[row]!, this.#starts[row]!)) return Math.max(before, row);
    }
    return -1;
  }

  /** The row that holds the element, or -1. */
  find(chain: number, counter: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#sorted[middle]!;
      const isAfter = this.#chains[row]! > chain || (this.#chains[row] === chain && this.#starts[row]! > counter);
      if (isAfter) high = middle;
      else low = middle + 1;
    }
    const row = low === 0 ? -1 : this.#sorted[low - 1]!;
    return row >= 0 && this.#holds(row, chain, counter) ? row : -1;
  }

  #holds(row: number, chain: number, counter: number): boolean {
    return this.#chains[row] === chain && counter - this.#starts[row]! < Math.abs(this.#lengths[row]!);
  }
}
