/** Moments at which nothing is being made durable, so that what stands in memory is what the log holds. */
export class Moments {
  readonly #waiting: (() => void)[] = [];
  readonly #isNow: () => boolean;

  constructor(isNow: () => boolean) {
    this.#isNow = isNow;
  }

  /** Runs a task at the next one. */
  next<T>(task: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(task());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** To be called whenever one may have come. */
  look(): void {
    if (this.#isNow()) for (const task of this.#waiting.splice(0)) task();
  }
}
