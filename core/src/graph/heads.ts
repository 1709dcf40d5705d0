/** Which nodes nobody stands on yet. Adding and removing one costs a few writes into columns, whatever their number. */
import { IntColumn } from '../codec/bytes/columns.js';

export class Heads {
  readonly #heads = new IntColumn();
  /** By node, its index among the heads + 1, or 0. */
  readonly #places = new IntColumn();

  get size(): number {
    return this.#heads.length;
  }

  has(node: number): boolean {
    return node >= 0 && node < this.#places.length && this.#places.values[node]! > 0;
  }

  add(node: number): void {
    this.#places.extendTo(node + 1);
    this.#heads.push(node);
    this.#places.values[node] = this.#heads.length;
  }

  /** False when it was none. */
  delete(node: number): boolean {
    if (!this.has(node)) return false;
    const index = this.#places.values[node]! - 1;
    const last = this.#heads.values[--this.#heads.length]!;
    this.#heads.values[index] = last;
    this.#places.values[last] = index + 1;
    this.#places.values[node] = 0;
    return true;
  }

  clear(): void {
    this.#heads.truncate(0);
    this.#places.truncate(0);
  }

  /** The same place among the heads for another node. */
  move(head: number, to: number): void {
    this.#places.extendTo(to + 1);
    const place = this.#places.values[head]!;
    this.#heads.values[place - 1] = to;
    this.#places.values[to] = place;
    this.#places.values[head] = 0;
  }

  /** In no order. */
  list(): number[] {
    return [...this.#heads.values.subarray(0, this.#heads.length)];
  }
}
