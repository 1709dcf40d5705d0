/** Storage in memory: for tests and for pages that keep nothing. One such storage is shared by the rooms that it is given to. */
import type { Change, Records, Storage } from './records.js';

/** A storage that ends with the page or process. */
export function memory(): Storage {
  const rooms = new Map<string, Shared>();
  return {
    open: (name) => {
      let shared = rooms.get(name);
      if (!shared) rooms.set(name, (shared = { values: new Map(), locks: new Set(), listeners: new Set() }));
      return Promise.resolve(recordsOf(shared));
    },
  };
}

interface Shared {
  readonly values: Map<string, unknown>;
  readonly locks: Set<string>;
  readonly listeners: Set<(message: unknown) => void>;
}

function recordsOf({ values, locks, listeners }: Shared): Records {
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
    read: (prefix) => {
      const found = [...values].filter(([name]) => name.startsWith(prefix));
      return Promise.resolve(found.sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    write: ({ put = [], remove = [] }: Change) => {
      for (const { prefix } of remove)
        for (const name of values.keys()) if (name.startsWith(prefix)) values.delete(name);
      for (const [name, value] of put) values.set(name, structuredClone(value));
      return Promise.resolve();
    },
    lock: (name) => {
      if (locks.has(name)) return Promise.resolve(undefined);
      locks.add(name);
      return Promise.resolve(() => void locks.delete(name));
    },
    close: () => own.forEach(end),
  };
}
