/**
 * One-time codes: each opens the page of the studio once, within ten minutes, to whoever was given the link. The code stands in the
 * fragment of an address, which browsers keep to themselves, and is gone with its first use; the token itself is in no address.
 */
import { randomBytes } from 'node:crypto';
import { refusal } from '../../reasons.js';

/** Clock that counts what has passed, however the time is set. */
interface Steady {
  now(): number;
}

const LIFETIME_MS = 600_000;
/** Codes that may wait at once; a further one takes the place of the oldest. */
const MOST = 16;

export class OneTimeCodes {
  readonly #token: string;
  readonly #clock: Steady;
  /** Code -> when it ends. */
  readonly #codes = new Map<string, number>();

  /** `token` is what a code is exchanged for. */
  constructor(token: string, clock: Steady) {
    this.#token = token;
    this.#clock = clock;
  }

  issue(): string {
    for (const oldest of this.#codes.keys()) if (this.#codes.size >= MOST) this.#codes.delete(oldest);
    const code = randomBytes(16).toString('hex');
    this.#codes.set(code, this.#clock.now() + LIFETIME_MS);
    return code;
  }

  /** Token for a code, which is used up by it. */
  redeem(code: string): string {
    const end = this.#codes.get(code);
    this.#codes.delete(code);
    if (end === undefined || this.#clock.now() > end)
      throw refusal(
        'reject.unauthenticated',
        'the link was used before, or is too old: start the studio again for a new one',
      );
    return this.#token;
  }
}
