/** Storage in memory: for tests and for pages that keep nothing. One such storage is shared by the rooms that it is given to. */
import type { Change, Records, Storage } from './records.js';

export function memory(): Storage {
  const rooms = new Map<string, Shared>();
  return {
    open: (name) => {
      let shared = rooms.get(name);
      if (!shared) rooms.set(name, (shared = { values: new Map(), locks: new Set() }));
      return Promise.resolve(recordsOf(shared));
    },
  };
}

interface Shared {
  readonly values: Map<string, unknown>;
  readonly locks: Set<string>;
}

function recordsOf({ values, locks }: Shared): Records {
  return {
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
    close: () => undefined,
  };
}
