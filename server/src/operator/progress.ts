/** How far long work is, for whoever waits for it. */
import type { OperatorContext } from './define.js';

export interface Progress {
  readonly done: number;
  /** Of about how many, where that is known. */
  readonly total?: number;
  readonly unit: 'bytes' | 'rooms' | 'blobs';
}

const TELL_MS = 200;

/** Tells a few times a second, however much is done in between. */
export function telling({ progress }: Pick<OperatorContext, 'progress'>): (how: Progress) => void {
  let last = -Infinity;
  return (how) => {
    const now = performance.now();
    if (now - last < TELL_MS) return;
    last = now;
    void progress(how);
  };
}
