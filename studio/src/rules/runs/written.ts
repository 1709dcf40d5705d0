/** What a program writes, told in pieces as it comes: at most one a second, so much of each, and so many of them. */
const EVERY_MS = 1000;
const MOST_PIECE = 4 << 10;
const MOST_PIECES = 60;

export class Written {
  readonly #tell: (text: string) => Promise<void>;
  #waiting = '';
  #pieces = 0;
  #told = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (text: string) => Promise<void>) {
    this.#tell = tell;
  }

  add(text: string): void {
    // Of much at once the end is what counts.
    this.#waiting = (this.#waiting + text).slice(-MOST_PIECE);
    this.#timer ??= setTimeout(() => this.#flush(), EVERY_MS);
  }

  /** Resolves when all was told; rejects when something could not be. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#told;
  }

  #flush(): void {
    this.#timer = undefined;
    const text = this.#waiting;
    this.#waiting = '';
    if (text === '' || this.#pieces === MOST_PIECES) return;
    this.#pieces += 1;
    const told = this.#told.then(() => this.#tell(text));
    // Seen by `end`, not before.
    told.catch(() => undefined);
    this.#told = told;
  }
}
