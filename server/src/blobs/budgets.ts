/**
 * Transfer budget of a link: several times its blob, for retries and ranges, so that a link that gets about is no free
 * download server. Memory is bounded: budgets of links that were used and have not expired, at most 65,536; beyond that
 * those first used longest ago are forgotten.
 */
import type { Clock } from '@weft/core';
import type { Grant } from './links.js';

const MOST_LINKS = 65_536;
/** Least cost of a request, so that empty ones are not free. */
const REQUEST_BYTES = 16 * 1024;
const ALLOWED = {
  GET: { times: 16, bytes: 16 * 1024 * 1024 },
  PUT: { times: 4, bytes: 1024 * 1024 },
} as const;

interface Used {
  bytes: number;
  readonly expires: number;
}

export class Budgets {
  readonly #clock: Clock;
  readonly #used = new Map<string, Used>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a transfer of `bytes` of a blob of `size`; undefined when it is too much, else gives back what is not moved.
   */
  take(grant: Grant, size: number, bytes: number): ((unmoved: number) => void) | undefined {
    const used = this.#usedOf(grant);
    const { times, bytes: more } = ALLOWED[grant.method];
    if (used.bytes + bytes + REQUEST_BYTES > size * times + more) return undefined;
    used.bytes += bytes + REQUEST_BYTES;
    return (unmoved) => {
      used.bytes -= unmoved;
    };
  }

  #usedOf({ id, expires }: Grant): Used {
    const known = this.#used.get(id);
    if (known) return known;
    if (this.#used.size >= MOST_LINKS) this.#forget();
    const used = { bytes: 0, expires };
    this.#used.set(id, used);
    return used;
  }

  #forget(): void {
    const now = this.#clock.now() / 1000;
    for (const [id, { expires }] of this.#used) if (expires <= now) this.#used.delete(id);
    for (const id of this.#used.keys()) {
      if (this.#used.size < MOST_LINKS * 0.9) return;
      this.#used.delete(id);
    }
  }
}
