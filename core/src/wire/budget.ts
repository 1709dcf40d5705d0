/** Memory that many share, perhaps as a part of a larger one. [LM6] [LM7] */
export class Budget {
  readonly limit: number;
  readonly #within: Budget | undefined;
  #used = 0;

  constructor(limit: number, within?: Budget) {
    this.limit = limit;
    this.#within = within;
  }

  get used(): number {
    return this.#used;
  }

  take(bytes: number): void {
    this.#used += bytes;
    this.#within?.take(bytes);
  }

  give(bytes: number): void {
    this.take(-bytes);
  }

  /** What may still be taken; below zero when too much was. */
  get free(): number {
    return Math.min(this.limit - this.#used, this.#within?.free ?? Infinity);
  }
}
