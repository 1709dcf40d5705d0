/** A record in memory: real changes and real collections, without rooms under them. */
import { OpenChange } from '../../record/ledger/change.js';
import type { Change } from '../../record/ledger/change.js';
import type { Streams } from '../../record/ledger/collection.js';
import { Feed } from '../../record/ledger/feed.js';
import { type StoredEvent, storedEvent } from '../../record/ledger/stream.js';
import type { Records } from '../../record/views/records.js';
import { createRecords } from '../../record/views/records.js';

export interface Recording {
  readonly records: Records;
  readonly feed: Feed;
  change<T>(work: (change: Change) => T): T;
}

export function recording(): Recording {
  const records = createRecords();
  const nodes: StoredEvent[][] = [];
  const feed = new Feed((place) => nodes[place]!);
  const collections: readonly Streams[] = Object.values(records);
  const collectionOf = (name: string): Streams => {
    const found = collections.find(({ aggregate }) => aggregate.name === name);
    if (!found) throw new Error(`no collection folds ${name}`);
    return found;
  };
  let ids = 0;
  let minutes = 0;
  const newId = (prefix: string): string => `${prefix}${++ids}`;
  return {
    records,
    feed,
    change(work) {
      const at = new Date(Date.UTC(2026, 0, 1, 0, minutes++)).toISOString();
      const change = new OpenChange({
        at,
        by: 'ann',
        hostId: 'host-1',
        newId,
        sessionOf: () => undefined,
        collectionOf,
      });
      const result = work(change);
      const events = change.staged.flatMap(({ key, value }) => storedEvent(key, value) ?? []);
      for (const stored of events) collectionOf(stored.aggregate).fold(stored);
      if (change.room === 'workgroup') feed.append(nodes.push(events) - 1, events);
      return result;
    },
  };
}
