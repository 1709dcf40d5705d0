/**
 * Revocations that nodes know of, changes of roots among them: the sets are few, because each node has that of what it stands on, so
 * they are numbered and a node holds a number. 0 is the empty one.
 */
export class RevokedSets {
  readonly #sets: ReadonlySet<string>[] = [new Set()];
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly #unions = new Map<string, number>();

  of(number: number): ReadonlySet<string> {
    return this.#sets[number]!;
  }

  /** Number of all that two sets have. */
  union(a: number, b: number): number {
    if (a === b || b === 0) return a;
    if (a === 0) return b;
    const pair = a < b ? `${a} ${b}` : `${b} ${a}`;
    let number = this.#unions.get(pair);
    if (number === undefined) this.#unions.set(pair, (number = this.with(a, this.of(b))));
    return number;
  }

  /** Number of a set and these. */
  with(number: number, names: Iterable<string>): number {
    const sorted = [...new Set([...this.of(number), ...names])].sort();
    const all = sorted.join();
    let found = this.#numbers.get(all);
    if (found === undefined) {
      this.#numbers.set(all, (found = this.#sets.length));
      this.#sets.push(new Set(sorted));
    }
    return found;
  }
}
