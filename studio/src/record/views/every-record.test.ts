/**
 * What each collection lists and keeps of the events that were written once, as `kept-records.jsonl` has it; and what holds of any: that
 * it comes back from an image, that what was folded ahead is taken back, and that what is forgotten leaves nothing.
 */
import { describe, expect, it } from 'vitest';
import { kept, shown, writtenTo, type AnyAggregate } from '../../testing/record/written.js';
import type { Streams } from '../ledger/collection.js';
import { type StoredEvent, storedEvent } from '../ledger/stream.js';
import { createRecords } from './records.js';

// Streams of these are named by what their events say: they have tests of their own.
const { repositories: _repositories, usages: _usages, ...records } = createRecords();
const names = Object.keys(records) as (keyof typeof records)[];

/** A stream for each written event: that one behind the first that begins something. */
function streamsOf(view: Streams): StoredEvent[][] {
  const { first, events } = writtenTo(view.aggregate as AnyAggregate);
  return events.map((event, n) =>
    (event === first ? [first] : [first, event]).map((each, position) => {
      const key = `studio/${view.aggregate.name}/${n}/${position}`;
      return storedEvent(key, { ...each, meta: { at: `202${position}`, by: 'ann' } })!;
    }),
  );
}

/** All that an image would have of a collection, streams by their names. */
function pictureOf(view: Streams): unknown {
  const { ids, versions, closed, indexes, more, chunks } = view.kept();
  return {
    versions: Object.fromEntries(ids.map((id, at) => [id, versions[at]])),
    closed,
    indexes: indexes.map(([index, lists]) => [index, lists.map(([key, at]) => [key, at.map((one) => ids[one])])]),
    more,
    states: chunks.flatMap(({ states }) => states),
  };
}

describe.each(names)('the collection %s', (name) => {
  const made = (): Streams => createRecords()[name] as Streams;
  const folded = (streams: readonly StoredEvent[][]): Streams => {
    const view = made();
    for (const stored of streams.flat()) expect(view.fold(stored)).toBe('folded');
    return view;
  };
  const streams = streamsOf(made());

  it('lists and keeps what it did before', () => {
    const { indexes, more } = pictureOf(folded(streams)) as { indexes: unknown; more: unknown };
    const line = JSON.stringify([name, indexes, more], shown);
    expect([line]).toEqual(kept('kept-records.jsonl', [line], (each) => each.startsWith(`["${name}"`)));
  });

  it('comes back from an image', () => {
    const view = folded(streams);
    const restored = made();
    restored.restore(view.kept());
    expect(pictureOf(restored)).toEqual(pictureOf(view));
  });

  it('is as before when what was folded ahead is taken back, and forgets whole streams', () => {
    const half = Math.floor(streams.length / 2);
    const view = folded(streams.slice(0, half));
    const before = JSON.stringify(pictureOf(view), shown);
    for (const stored of streams.slice(half).flat()) view.foldAhead(stored);
    view.takeBack();
    expect(JSON.stringify(pictureOf(view), shown)).toBe(before);
    for (const stored of streams.slice(half).flat()) view.fold(stored);
    for (const [{ id }] of streams.slice(half) as [StoredEvent][]) view.forget(id);
    expect(JSON.stringify(pictureOf(view), shown)).toBe(before);
  });
});
