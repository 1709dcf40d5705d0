/** Expiry of a peer's token. [AU4] */
import type { Clock } from '../ports/clock.js';

/** The longest that a timer takes in every runtime. */
const LONGEST_MS = 2 ** 31 - 1;

export class Expiry {
  readonly #clock: Clock;
  readonly #expired: () => void;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, expired: () => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** `expiry` in Unix seconds; without one, never. */
  at(expiry: number | undefined): void {
    this.cancel();
    if (expiry === undefined) return;
    const left = expiry * 1000 - this.#clock.now();
    this.#cancel = this.#clock.after(Math.min(Math.max(left, 0), LONGEST_MS), () => {
      if (this.#clock.now() >= expiry * 1000) this.#expired();
      else this.at(expiry);
    });
  }

  cancel(): void {
    this.#cancel();
  }
}
