/** Mutex: jobs run one at a time, in the order in which they came. */
export class Mutex {
  #last: Promise<void> | undefined;

  async run<T>(job: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let end: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (end = resolve));
    this.#last = mine;
    try {
      if (before) await before;
      return await job();
    } finally {
      if (this.#last === mine) this.#last = undefined;
      end();
    }
  }
}
