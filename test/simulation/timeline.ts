/**
 * Virtual time: everything that happens in a simulation is a moment of one timeline, and moments follow each other by time
 * and, at one time, by the order in which they were asked for. Nothing waits for the machine.
 */
import type { Clock } from '@weft/core';

interface Moment {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
  isOff: boolean;
}

export class Timeline implements Clock {
  #now = Date.UTC(2026, 0, 1);
  #asked = 0;
  /** Binary heap: no moment comes before its parent. */
  readonly #heap: Moment[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): () => void {
    const moment = { at: this.#now + Math.max(0, Math.floor(ms)), order: this.#asked++, act, isOff: false };
    this.#heap.push(moment);
    this.#rise(this.#heap.length - 1);
    return () => {
      moment.isOff = true;
    };
  }

  /** Milliseconds until the next moment; undefined where there is none. */
  get untilNext(): number | undefined {
    while (this.#heap[0]?.isOff) this.#take();
    return this.#heap[0] && Math.max(0, this.#heap[0].at - this.#now);
  }

  /** Runs the next moment, and all that follows from it without time going by; false where there is none. */
  async step(): Promise<boolean> {
    if (this.untilNext === undefined) return false;
    const { at, act } = this.#take();
    this.#now = Math.max(this.#now, at);
    act();
    await settled();
    return true;
  }

  /** The process has slept: what fell due meanwhile comes late, all at once. */
  skip(ms: number): void {
    this.#now += ms;
  }

  #take(): Moment {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (!first || !last) throw new RangeError('nothing is to come');
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.#heap.length && this.#isBefore(child, least)) least = child;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one]!, this.#heap[other]!];
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    [this.#heap[one], this.#heap[other]] = [this.#heap[other]!, this.#heap[one]!];
  }
}

// Taken before a simulation puts its own in place.
const { setImmediate } = globalThis;

/** Resolves when no promise is left that could go on without a moment of the timeline. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
