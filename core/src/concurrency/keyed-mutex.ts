/** Mutex for each key: tasks run one at a time, in the order of asking; one that fails does not stop the next. */
export class KeyedMutex<Key> {
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
