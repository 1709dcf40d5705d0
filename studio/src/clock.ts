/** Clock port of the studio: what time it is, and one call after some time. Tests set a clock of their own. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back once; the result calls it off. */
  after(milliseconds: number, call: () => void): () => void;
}

/** The time that people mean. It may jump. */
export const wallClock: Clock = { now: () => Date.now(), after: later };
/** Time that only goes forward, and evenly. */
export const steadyClock: Clock = { now: () => performance.now(), after: later };

function later(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
