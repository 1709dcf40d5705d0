/**
 * Inbox: rate limits and bounds of what a peer may send, how much at a time and how fast. [LM2]
 *
 * What it has sent and is not yet processed is bounded in bytes and frames. Frames over their rate wait, and so does
 * everything behind them; who goes on all the same runs into the bound and is closed with 4008.
 */
import type { Clock } from '../ports/clock.js';
import { Budget } from '../wire/budget.js';
import type { Limits } from '../wire/limits.js';

/** A peer that sends frames without content for its bytes. */
const FRAMES = 10_000;
/** Bytes that may wait without blame when the host has too much. */
const SMALL = 256 * 1024;

/** Fills up steadily to a burst; may be overdrawn, and then there is a wait. */
class Bucket {
  readonly #rate: number;
  readonly #burst: number;
  #level: number;
  #at: number;

  /** `rate` per second. */
  constructor(rate: number, burst: number, now: number) {
    this.#rate = rate;
    this.#burst = burst;
    this.#level = burst;
    this.#at = now;
  }

  isFull(now: number): boolean {
    return this.#filled(now) === this.#burst;
  }

  /** Takes an amount; answers in how many milliseconds it is there. More than the burst is never there at once. */
  take(amount: number, now: number): number {
    this.#level = this.#filled(now) - amount;
    this.#at = now;
    return this.#level >= 0 ? 0 : (-this.#level / this.#rate) * 1000;
  }

  #filled(now: number): number {
    const passed = Math.max(0, now - this.#at); // a clock that was set back takes nothing away
    return Math.min(this.#burst, this.#level + (passed / 1000) * this.#rate);
  }
}

export class Inbox {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #shared: Budget;
  readonly #nodes: Bucket;
  readonly #bytes: Bucket;
  readonly #frames: Bucket;
  #waitingBytes = 0;
  #waitingFrames = 0;
  /** The last of those who wait. */
  #last: Promise<void> | undefined;
  /** Ends the wait of the first of them. */
  #endWait: (() => void) | undefined;
  #isClosed = false;

  /** `shared` is what all inboxes of the host may hold. */
  constructor(limits: Limits, clock: Clock, shared = new Budget(limits.hostInboxBytes)) {
    this.#shared = shared;
    const now = clock.now();
    this.#limits = limits;
    this.#clock = clock;
    this.#nodes = new Bucket(limits.nodesPerSecond, limits.nodesBurst, now);
    this.#bytes = new Bucket(limits.bytesPerSecond, limits.bytesBurst, now);
    this.#frames = new Bucket(limits.framesPerSecond, limits.framesPerSecond * 4, now);
  }

  /** Whether all that has come is processed. */
  get isEmpty(): boolean {
    return this.#waitingFrames === 0;
  }

  /** Whether it is as if nothing had ever come. */
  get isRested(): boolean {
    const now = this.#clock.now();
    return this.isEmpty && [this.#nodes, this.#bytes, this.#frames].every((bucket) => bucket.isFull(now));
  }

  /** Counts a frame; answers what is wrong with that. */
  arrived(bytes: number): 'too much' | 'host full' | undefined {
    this.#shared.take(bytes);
    this.#waitingBytes += bytes;
    this.#waitingFrames++;
    if (this.#waitingBytes > this.#limits.inboxBytes || this.#waitingFrames > FRAMES) return 'too much';
    return this.#shared.free < 0 && this.#waitingBytes > SMALL ? 'host full' : undefined;
  }

  processed(bytes: number): void {
    this.#shared.give(bytes);
    this.#waitingBytes -= bytes;
    this.#waitingFrames--;
  }

  /** Resolves when so many nodes, in so many bytes, may be looked at. */
  pack(nodes: number, bytes: number): Promise<void> | undefined {
    const now = this.#clock.now();
    return this.#wait(Math.max(this.#nodes.take(nodes, now), this.#bytes.take(bytes, now)));
  }

  /** Resolves when one more frame without nodes may be looked at. */
  frame(bytes: number): Promise<void> | undefined {
    const now = this.#clock.now();
    return this.#wait(Math.max(this.#frames.take(1, now), this.#bytes.take(bytes, now)));
  }

  /** The peer has gone: whoever waits, or comes now, need not wait any more, and no timer holds what was sent. */
  close(): void {
    this.#isClosed = true;
    this.#endWait?.();
  }

  /** Waits in turn: a timer may be late, and what came later must not pass what waits for it. */
  #wait(ms: number): Promise<void> | undefined {
    const before = this.#last;
    if (ms === 0 && !before) return undefined;
    const until = this.#clock.now() + ms;
    const waited = before ? before.then(() => this.#until(until, ms)) : this.#until(until, ms);
    const mine: Promise<void> = Promise.resolve(waited).then(() => {
      if (this.#last === mine) this.#last = undefined;
    });
    this.#last = mine;
    return mine;
  }

  /** Waits until a time, at most so long if the clock is set back meanwhile. */
  #until(time: number, most: number): Promise<void> | undefined {
    const ms = Math.ceil(Math.min(most, time - this.#clock.now()));
    if (ms <= 0 || this.#isClosed) return undefined;
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
  }
}
