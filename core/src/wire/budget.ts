/** Memory that many share: what all peers of a host have sent and is not yet processed. [LM6] */
export class Budget {
  readonly limit: number;
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  take(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }

  get isOver(): boolean {
    return this.#used > this.limit;
  }
}
