/** How many requests a caller may make: a bucket that is filled steadily and emptied by requests. */
export interface RateLimit {
  readonly perSecond: number;
  /** How many may come at once after a pause. */
  readonly burst: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** From so many buckets on, those that are full again are forgotten: they say nothing. */
const MANY = 1000;

export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `now` is in milliseconds and never goes back. */
  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Takes one request of `name`, or answers how many milliseconds are missing until there is one. */
  take(name: string): number {
    const { perSecond, burst } = this.#limit;
    const now = this.#now();
    const bucket = this.#buckets.get(name) ?? { left: burst, at: now };
    bucket.left = this.#fill(bucket, now);
    bucket.at = now;
    if (this.#buckets.size >= MANY) this.#forget(now);
    this.#buckets.set(name, bucket);
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) * 1000) / perSecond);
    bucket.left--;
    return 0;
  }

  get size(): number {
    return this.#buckets.size;
  }

  #fill({ left, at }: Bucket, now: number): number {
    const { perSecond, burst } = this.#limit;
    return Math.min(burst, left + ((now - at) * perSecond) / 1000);
  }

  #forget(now: number): void {
    for (const [name, bucket] of this.#buckets) {
      if (this.#fill(bucket, now) >= this.#limit.burst) this.#buckets.delete(name);
    }
  }
}
