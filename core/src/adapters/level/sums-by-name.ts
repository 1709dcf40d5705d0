/**
 * Sums by name: each is added up when it is asked for first, and kept by what changes from then on. A sum and its changes take turns,
 * so that none is counted twice or left out. The longest unasked is forgotten: it can be added up again.
 */
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';

const MOST = 10_000;

export class SumsByName {
  readonly #known = new Map<string, number>();
  readonly #mutex = new KeyedMutex<string>();

  of(name: string, addUp: () => Promise<number>): Promise<number> {
    return this.#mutex.take(name, async () => {
      const sum = this.#known.get(name) ?? (await addUp());
      this.#known.delete(name);
      this.#known.set(name, sum);
      const [oldest] = this.#known.keys();
      if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
      return sum;
    });
  }

  /** Does what changes these sums. What fails may have been done: then they are added up again. */
  change(changes: readonly (readonly [name: string, by: number])[], act: () => Promise<void>): Promise<void> {
    const names = [...new Set(changes.map(([name]) => name))].sort();
    const inTurn = names.reduceRight<() => Promise<void>>(
      (next, name) => () => this.#mutex.take(name, next),
      async () => {
        try {
          await act();
        } catch (error) {
          for (const name of names) this.#known.delete(name);
          throw error;
        }
        for (const [name, by] of changes) {
          const sum = this.#known.get(name);
          if (sum !== undefined) this.#known.set(name, sum + by);
        }
      },
    );
    return inTurn();
  }
}
