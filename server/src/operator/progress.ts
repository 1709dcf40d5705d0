/** Progress of long work, for whoever waits for it. */
import type { OperatorContext } from './define.js';

export interface Progress {
  readonly done: number;
  /** Estimated end of the count, where it is known. */
  readonly total?: number;
  readonly unit: 'bytes' | 'rooms' | 'blobs';
}

const TELL_MS = 200;

/** Throttle: tells progress a few times a second, however often it is called. */
export function telling({ progress }: Pick<OperatorContext, 'progress'>): (how: Progress) => void {
  let last = -Infinity;
  return (how) => {
    const now = performance.now();
    if (now - last < TELL_MS) return;
    last = now;
    void progress(how);
  };
}
