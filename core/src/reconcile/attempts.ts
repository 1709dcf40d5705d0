/** Reconcile attempts of one peer: what it and its server are finding out about each other, one at a time. [RC9] */
import type { Clock } from '../ports/clock.js';
import { Rejection } from '../rejection.js';
import type { HeldIds } from './held-ids.js';
import { Responder } from './responder.js';

/** An attempt under a key of its own costs the server a pass over all nodes. */
const ATTEMPTS = 20;
const PER_MS = 60_000;

export class ReconcileAttempts {
  readonly #ids: () => HeldIds;
  readonly #clock: Clock;
  #responder: Responder | undefined;
  #attempts = 0;
  #since = 0;

  constructor(ids: () => HeldIds, clock: Clock) {
    this.#ids = ids;
    this.#clock = clock;
  }

  get current(): Responder | undefined {
    return this.#responder;
  }

  /** An attempt that was under way is given up. */
  begin(): Responder {
    const now = this.#clock.now();
    if (Math.abs(now - this.#since) >= PER_MS) {
      this.#since = now;
      this.#attempts = 0;
    }
    if (++this.#attempts > ATTEMPTS) throw new Rejection('rate-limit', 'reconcile: too many attempts; wait a minute');
    return (this.#responder = new Responder(this.#ids()));
  }

  end(): void {
    this.#responder = undefined;
  }
}
