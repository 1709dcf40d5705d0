/**
 * Presence: what peers last said of themselves, for those who come later. [PR1] In memory alone: it goes with the
 * connection or its time, never into the graph, and all of a room's together are bounded.
 */
import type { Clock } from '../ports/clock.js';
import { Rejection } from '../rejection.js';
import type { Frame, SharedFrame } from '../wire/frame.js';

interface Shown {
  readonly frame: SharedFrame;
  readonly bytes: number;
  /** Unix milliseconds. */
  readonly until: number;
  readonly cancel: () => void;
}

export class Presence {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #shown = new Map<string, Shown>();
  #bytes = 0;

  /** `most`: bytes of all values together. */
  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Present values, in the order in which they were first shown. */
  get frames(): readonly SharedFrame[] {
    return [...this.#shown.values()].map(({ frame }) => frame);
  }

  /** Present values, each with the session that shows it. */
  get entries(): readonly (readonly [sessionId: string, frame: Frame])[] {
    return [...this.#shown].map(([sessionId, { frame }]) => [sessionId, frame.frame]);
  }

  shows(sessionId: string): boolean {
    return this.#shown.has(sessionId);
  }

  /** Forgets values whose time is over then, whether its timer has come or not; answers which. */
  sweep(now: number): readonly (readonly [sessionId: string, frame: Frame])[] {
    const over = this.entries.filter(([sessionId]) => this.#shown.get(sessionId)!.until <= now);
    for (const [sessionId] of over) this.forget(sessionId);
    return over;
  }

  /** Keeps a peer's value, for `ttlMs` if that is given. Refused when the room's presence is full. */
  show(sessionId: string, frame: SharedFrame, ttlMs?: number): void {
    const bytes = frame.encoded(false).length;
    const others = this.#bytes - (this.#shown.get(sessionId)?.bytes ?? 0);
    if (others + bytes > this.#most)
      throw new Rejection('presence-full', 'the presence of this room is full; show less');
    this.forget(sessionId);
    const cancel = ttlMs === undefined ? () => undefined : this.#clock.after(ttlMs, () => this.forget(sessionId));
    const until = ttlMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + ttlMs;
    this.#shown.set(sessionId, { frame, bytes, until, cancel });
    this.#bytes += bytes;
  }

  forget(sessionId: string): void {
    const shown = this.#shown.get(sessionId);
    if (!shown) return;
    shown.cancel();
    this.#shown.delete(sessionId);
    this.#bytes -= shown.bytes;
  }
}
