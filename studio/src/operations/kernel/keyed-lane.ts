/** Runs pieces of work with the same key one after the other; a key is forgotten when its last piece has ended. */
export class KeyedLane {
  readonly #tails = new Map<string, Promise<unknown>>();

  async inOrder<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }
}
