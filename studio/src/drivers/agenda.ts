/** Timer queue: one timer for all entries. It looks again at least every minute, because wall clocks jump. */
import type { Clock } from '../clock.js';
import type { StudioLog } from '../log.js';

const LONGEST_WAIT = 60_000;

interface Entry {
  readonly at: number;
  readonly act: () => Promise<unknown>;
}

export class Agenda {
  readonly #clock: Clock;
  readonly #log: StudioLog;
  readonly #entries = new Map<string, Entry>();
  #callOff: (() => void) | undefined;
  #isClosed = false;

  constructor(clock: Clock, log: StudioLog) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Schedules an action; it replaces the one under the same key. */
  put(key: string, at: number, act: () => Promise<unknown>): void {
    this.#entries.set(key, { at, act });
    this.#arm();
  }

  drop(key: string): void {
    if (this.#entries.delete(key)) this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#entries.clear();
    this.#arm();
  }

  #arm(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#isClosed || this.#entries.size === 0) return;
    const first = Math.min(...[...this.#entries.values()].map(({ at }) => at));
    const wait = Math.min(Math.max(first - this.#clock.now(), 0), LONGEST_WAIT);
    this.#callOff = this.#clock.after(wait, () => this.#run());
  }

  #run(): void {
    const now = this.#clock.now();
    const due = [...this.#entries].filter(([, { at }]) => at <= now).sort(([, a], [, b]) => a.at - b.at);
    for (const [key, { act }] of due) {
      this.#entries.delete(key);
      act().catch((error: unknown) => this.#tryLater(key, act, error));
    }
    this.#arm();
  }

  /** Retries after a failure, such as a full disk, unless the key was scheduled anew meanwhile. */
  #tryLater(key: string, act: Entry['act'], error: unknown): void {
    this.#log({ level: 'error', message: 'what was due failed', about: { key }, error });
    if (!this.#entries.has(key)) this.put(key, this.#clock.now() + LONGEST_WAIT, act);
  }
}
