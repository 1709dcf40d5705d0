/** Clock port: what time it is, and one call after some time. Tests set a clock of their own. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** One-shot timer. What it answers cancels it. */
  after(milliseconds: number, call: () => void): () => void;
}

/** Wall clock: the time that people mean. It may jump. */
export const wallClock: Clock = { now: () => Date.now(), after: later };
/** Monotonic clock: it only goes forward, and evenly. */
export const steadyClock: Clock = { now: () => performance.now(), after: later };

function later(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
