/** Time, as something that a test can hold in its hand. Never used to order anything. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Calls back once after `ms`; the result cancels. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
