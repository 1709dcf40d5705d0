import type { Clock } from '../ports/clock.js';

/** A clock that moves only when told to. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many have not fallen due. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Runs what falls due, in order of time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#now = due.at;
      this.#timers.delete(due);
      due.callback();
    }
    this.#now = end;
  }
}
