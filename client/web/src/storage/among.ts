/** Rooms of one process that have the same records open: which locks are held, and what one says to the others. */
import type { Records } from './records.js';

export interface Among {
  readonly locks: Set<string>;
  readonly listeners: Set<(message: unknown) => void>;
}

export const nobody = (): Among => ({ locks: new Set(), listeners: new Set() });

/** The part of records that is about others. `close` ends what these records listen to. */
export function among({ locks, listeners }: Among): Omit<Records, 'read' | 'write'> {
  const own = new Set<(message: unknown) => void>();
  const end = (listener: (message: unknown) => void): void => {
    own.delete(listener);
    listeners.delete(listener);
  };
  return {
    say: (message) => {
      const others = [...listeners].filter((listener) => !own.has(listener));
      queueMicrotask(() => others.forEach((tell) => listeners.has(tell) && tell(structuredClone(message))));
    },
    onSaid: (listener) => {
      const told = (message: unknown): void => listener(message);
      own.add(told);
      listeners.add(told);
      return () => end(told);
    },
    hasLocks: true,
    lock: (name) => {
      if (locks.has(name)) return Promise.resolve(undefined);
      locks.add(name);
      return Promise.resolve(() => void locks.delete(name));
    },
    close: () => own.forEach(end),
  };
}
