/** Time that goes only when a test says so. */
import type { Clock } from '../work/agenda.js';

export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();

  constructor(now = Date.now()) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.#now + milliseconds, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time go by; what is due meanwhile is called, at its time. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      const [first] = due;
      if (!first) break;
      this.#timers.delete(first);
      this.#now = Math.max(this.#now, first.at);
      first.call();
    }
    this.#now = end;
  }

  /** Sets it, forward or back, without anything being called. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
