/**
 * Joins: a bounded semaphore for hellos. So many are worked on at once, so many wait in the order in which they came, and any
 * further one is refused with a time to come back. [LM13]
 *
 * When everybody comes at once, after a restart say, each is answered soon instead of all of them late. Who waits for something
 * outside of this host has no place meanwhile: what is slow there holds up nobody who does not need it.
 */
import { ComeBack } from '../rejection.js';
import type { Limits } from '../wire/limits.js';
import { spreadOver } from './spread.js';

type Bounds = Pick<Limits, 'joins' | 'joinsWaiting'>;

export class Joins {
  readonly #limits: Bounds;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: Bounds) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is this one's turn, with its place; rejects at once when too many wait. */
  async take(): Promise<Place> {
    const { joins, joinsWaiting } = this.#limits;
    if (this.#running >= joins) {
      if (this.#waiting.length >= joinsWaiting) {
        const wait = spreadOver(this.#running + this.#waiting.length);
        throw new ComeBack('too-many-joins', 'more peers enter at once than this server takes', wait);
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    return new Place({ leave: () => this.#leave(), comeBack: () => this.#comeBack() });
  }

  /** Whoever is next has the place from here on. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }

  /** One that had its turn already is next. */
  async #comeBack(): Promise<void> {
    if (this.#running < this.#limits.joins) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.unshift(resolve));
  }
}

/** Place of one join among those that are worked on. */
export class Place {
  readonly #joins: { leave(): void; comeBack(): Promise<void> };

  constructor(joins: { leave(): void; comeBack(): Promise<void> }) {
    this.#joins = joins;
  }

  leave(): void {
    this.#joins.leave();
  }

  /** Waits for something outside of this host, without a place meanwhile. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.#joins.leave();
    try {
      return await wait();
    } finally {
      await this.#joins.comeBack();
    }
  }
}
