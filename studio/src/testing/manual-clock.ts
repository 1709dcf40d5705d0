/** Time that goes only when a test says so. */
import type { Clock } from '../clock.js';

export class ManualClock implements Clock {
  /** What has gone by; timers count this, whatever the clock shows. */
  #passed = 0;
  #start: number;
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();

  constructor(start = Date.now()) {
    this.#start = start;
  }

  /** Steady clock: the time that is set, which never jumps. */
  readonly steady: Clock = {
    now: () => this.#passed,
    after: (milliseconds, call) => this.after(milliseconds, call),
  };

  now(): number {
    return this.#start + this.#passed;
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.#passed + milliseconds, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time go by; what is due meanwhile is called, at its time. */
  pass(milliseconds: number): void {
    const end = this.#passed + milliseconds;
    for (;;) {
      const [first] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!first) break;
      this.#timers.delete(first);
      this.#passed = first.at;
      first.call();
    }
    this.#passed = end;
  }

  /** Sets the clock forward or back, as if somebody had moved its hands. */
  jump(milliseconds: number): void {
    this.#start += milliseconds;
  }
}
