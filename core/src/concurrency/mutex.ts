/** Jobs that take turns, in the order in which they came. */
export class Turns {
  #last: Promise<void> | undefined;

  /** Whether a job would begin at once. */
  get areFree(): boolean {
    return this.#last === undefined;
  }

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
