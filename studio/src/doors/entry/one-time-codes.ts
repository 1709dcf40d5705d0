/**
 * One-time codes: each opens the page of the studio once, within ten minutes, to whoever was given the link. The code stands in the
 * fragment of an address, which browsers keep to themselves, and is gone with its first use; no token is in any address.
 */
import { randomBytes } from 'node:crypto';
import type { Scope } from '../../operations/kernel/caller.js';
import { refusal } from '../../reasons.js';

/** Clock that counts what has passed, however the time is set. */
interface Steady {
  now(): number;
}

interface Waiting {
  readonly end: number;
  /** What the page may do that it opens. */
  readonly scope: Scope;
}

const LIFETIME_MS = 600_000;
/** Codes that may wait at once; a further one takes the place of the oldest. */
const MOST = 16;

export class OneTimeCodes {
  readonly #clock: Steady;
  readonly #codes = new Map<string, Waiting>();

  constructor(clock: Steady) {
    this.#clock = clock;
  }

  issue(scope: Scope): string {
    for (const oldest of this.#codes.keys()) if (this.#codes.size >= MOST) this.#codes.delete(oldest);
    const code = randomBytes(16).toString('hex');
    this.#codes.set(code, { end: this.#clock.now() + LIFETIME_MS, scope });
    return code;
  }

  /** Scope of a code, which is used up by it. */
  redeem(code: string): Scope {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    if (found && this.#clock.now() <= found.end) return found.scope;
    throw refusal('reject.unauthenticated', 'the link was used before, or is too old: weft open makes a new one');
  }
}
