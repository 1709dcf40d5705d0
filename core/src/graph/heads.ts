/** Which nodes nobody stands on yet. Adding and removing one costs a few writes into columns, whatever their number. */
import { IntColumn } from '../codec/bytes/columns.js';

export class Heads {
  readonly #heads = new IntColumn();
  /** Index among the heads + 1 of each node behind the closed ones, or 0. */
  readonly #indices = new IntColumn();
  /** Nodes before this one are closed: few of them are heads, and none becomes one but by taking back what covers it. */
  #closed = 0;
  /** Indices + 1 of closed nodes that are heads. */
  readonly #old = new Map<number, number>();

  get size(): number {
    return this.#heads.length;
  }

  has(node: number): boolean {
    return this.#indexOf(node) > 0;
  }

  add(node: number): void {
    this.#heads.push(node);
    this.#put(node, this.#heads.length);
  }

  /** False when it was none. */
  delete(node: number): boolean {
    if (!this.has(node)) return false;
    const index = this.#indexOf(node) - 1;
    const last = this.#heads.values[--this.#heads.length]!;
    this.#heads.values[index] = last;
    this.#put(last, index + 1);
    this.#put(node, 0);
    return true;
  }

  clear(): void {
    this.#heads.truncate(0);
    this.#indices.truncate(0);
    this.#old.clear();
    this.#closed = 0;
  }

  /** Begins with these heads, all of them among so many nodes. */
  begin(size: number, heads: readonly number[]): void {
    this.#closed = size;
    for (const head of heads) this.add(head);
  }

  /** Takes no room any more for nodes before this one. */
  closeBefore(node: number): void {
    if (node <= this.#closed) return;
    this.#closed = node;
    const all = this.list();
    this.#heads.truncate(0);
    this.#indices.truncate(0);
    this.#old.clear();
    for (const head of all) this.add(head);
  }

  /** Puts another node where a head stands in the list. */
  move(head: number, to: number): void {
    const index = this.#indexOf(head);
    this.#heads.values[index - 1] = to;
    this.#put(to, index);
    this.#put(head, 0);
  }

  /** All heads, in no order. */
  list(): number[] {
    return [...this.#heads.values.subarray(0, this.#heads.length)];
  }

  #indexOf(node: number): number {
    if (node < this.#closed) return this.#old.get(node) ?? 0;
    const at = node - this.#closed;
    return at < this.#indices.length ? this.#indices.values[at]! : 0;
  }

  #put(node: number, index: number): void {
    if (node >= this.#closed) {
      this.#indices.extendTo(node - this.#closed + 1);
      this.#indices.values[node - this.#closed] = index;
    } else if (index > 0) this.#old.set(node, index);
    else this.#old.delete(node);
  }
}
