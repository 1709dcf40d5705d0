/** Storage in memory: for tests and for pages that keep nothing. One such storage is shared by the rooms that it is given to. */
import { type Among, among, nobody } from './among.js';
import type { Change, Records, Storage } from './records.js';

/** A storage that ends with the page or process. */
export function memory(): Storage {
  const rooms = new Map<string, Shared>();
  return {
    open: (name) => {
      let shared = rooms.get(name);
      if (!shared) rooms.set(name, (shared = { values: new Map(), ...nobody() }));
      return Promise.resolve(recordsOf(shared));
    },
  };
}

interface Shared extends Among {
  readonly values: Map<string, unknown>;
}

function recordsOf(shared: Shared): Records {
  const { values } = shared;
  return {
    ...among(shared),
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
  };
}
