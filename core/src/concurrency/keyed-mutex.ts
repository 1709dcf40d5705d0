/** One task at a time for each key, in the order of asking; a task that fails does not stop the next. */
export class Turns<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  take<Result>(key: Key, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.then(task);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
    return done;
  }
}
