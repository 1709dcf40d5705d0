/**
 * Order of one peer's frames: each is begun when the one before allows it. [HS]
 *
 * A push goes on beside what follows it, so that pushes are judged together; everything else waits for them. Where nothing
 * waits, a push is begun as it comes, and takes no promise.
 */
import type { Encoded } from '../wire/frame.js';

export class Order {
  readonly #begin: (frame: Encoded) => Promise<void> | undefined;
  #running: Promise<void> | undefined;
  /** Pushes that are not answered yet. */
  #pushes = 0;
  #pushed: Promise<void> | undefined;
  #tellPushed: (() => void) | undefined;

  /** `begin` answers until when the next frame may not be looked at. */
  constructor(begin: (frame: Encoded) => Promise<void> | undefined) {
    this.#begin = begin;
  }

  /** Whether a frame that comes now would not have to wait for another one. */
  get isFree(): boolean {
    return this.#running === undefined;
  }

  take(frame: Encoded): void {
    const running = (this.#running ?? Promise.resolve())
      .then(() => this.#begin(frame))
      .then(() => {
        if (this.#running === running) this.#running = undefined;
      });
    this.#running = running;
  }

  pushBegins(): void {
    this.#pushes++;
  }

  pushEnds(): void {
    if (--this.#pushes > 0) return;
    this.#tellPushed?.();
    this.#pushed = this.#tellPushed = undefined;
  }

  /** Resolves when no push is unanswered; undefined where none is. */
  get pushed(): Promise<void> | undefined {
    if (this.#pushes === 0) return undefined;
    return (this.#pushed ??= new Promise((resolve) => (this.#tellPushed = resolve)));
  }

  /** Resolves when what has come by now is answered. */
  async settled(): Promise<void> {
    await this.#running; // which may still push
    await this.pushed;
  }
}
