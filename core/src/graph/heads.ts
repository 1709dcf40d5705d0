/** Which nodes nobody stands on yet. Adding and removing one costs a few writes into columns, whatever their number. */
import { IntColumn } from '../codec/bytes/columns.js';

export class Heads {
  readonly #heads = new IntColumn();
  /** Index among the heads + 1 of each node, or 0. */
  readonly #indices = new IntColumn();

  get size(): number {
    return this.#heads.length;
  }

  has(node: number): boolean {
    return node >= 0 && node < this.#indices.length && this.#indices.values[node]! > 0;
  }

  add(node: number): void {
    this.#indices.extendTo(node + 1);
    this.#heads.push(node);
    this.#indices.values[node] = this.#heads.length;
  }

  /** False when it was none. */
  delete(node: number): boolean {
    if (!this.has(node)) return false;
    const index = this.#indices.values[node]! - 1;
    const last = this.#heads.values[--this.#heads.length]!;
    this.#heads.values[index] = last;
    this.#indices.values[last] = index + 1;
    this.#indices.values[node] = 0;
    return true;
  }

  clear(): void {
    this.#heads.truncate(0);
    this.#indices.truncate(0);
  }

  /** Puts another node where a head stands in the list. */
  move(head: number, to: number): void {
    this.#indices.extendTo(to + 1);
    const index = this.#indices.values[head]!;
    this.#heads.values[index - 1] = to;
    this.#indices.values[to] = index;
    this.#indices.values[head] = 0;
  }

  /** All heads, in no order. */
  list(): number[] {
    return [...this.#heads.values.subarray(0, this.#heads.length)];
  }
}
