/** Rate-limited output: at most one piece a second, bounded in size and number. */
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
    // The end of a burst counts.
    this.#waiting = (this.#waiting + text).slice(-MOST_PIECE);
    this.#timer ??= setTimeout(() => this.#flush(), EVERY_MS);
  }

  /** Flushes; rejects when a piece could not be recorded. */
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
    // Rejections surface in `end`, not before.
    told.catch(() => undefined);
    this.#told = told;
  }
}
