/**
 * Wakes those who wait for the next event, with one listener for all of them. When they are many they are not woken for each
 * event but a little later, for all that has come by then: waking everybody is what costs, not what they are told.
 */
import type { Feed } from '../ledger/feed.js';

/** With five hundred who wait these are 50 ms. */
const GATHER_MS_EACH = 0.1;

export class Bell {
  readonly #feed: Pick<Feed, 'onEvent'>;
  readonly #waiting = new Set<(hasRung: boolean) => void>();
  #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(feed: Pick<Feed, 'onEvent'>) {
    this.#feed = feed;
  }

  /** Resolves with true when it rings, and with false when it has not for so long. `stop` makes it resolve at once. */
  wait(milliseconds: number): { readonly rung: Promise<boolean>; readonly stop: () => void } {
    this.#stopListening ??= this.#feed.onEvent(() => this.#gather());
    let stop = (): void => undefined;
    const rung = new Promise<boolean>((resolve) => {
      const done = (hasRung: boolean): void => {
        clearTimeout(patience);
        this.#waiting.delete(done);
        if (this.#waiting.size === 0) this.#rest();
        resolve(hasRung);
      };
      const patience = setTimeout(() => done(false), milliseconds);
      this.#waiting.add(done);
      stop = () => done(true);
    });
    return { rung, stop };
  }

  ring(): void {
    for (const done of [...this.#waiting]) done(true);
  }

  #gather(): void {
    const wait = this.#waiting.size * GATHER_MS_EACH;
    if (wait < 1) this.ring();
    else this.#timer ??= setTimeout(() => this.ring(), wait);
  }

  /** Nobody waits. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}
