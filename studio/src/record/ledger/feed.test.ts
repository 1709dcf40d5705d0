import { describe, expect, it, vi } from 'vitest';
import { Feed, MOST_AT_HAND } from './feed.js';
import { type StoredEvent, storedEvent } from './stream.js';

function event(id: string, position: number, meta: object = {}): StoredEvent {
  return storedEvent(`studio/tally/${id}/${position}`, { n: position, meta: { at: 'then', by: 'ann', ...meta } })!;
}

/** A feed over a log of which each node tells so many events, and how often it has read one again. */
function fed(sizes: readonly number[]) {
  const log = sizes.map((size, node) =>
    Array.from({ length: size }, (_, n) =>
      event(`t${node}`, n, { workUnitId: `wu-${node % 2}`, ...(n === 0 ? {} : { cause: `studio/tally/t${node}/0` }) }),
    ),
  );
  const read = vi.fn((place: number): readonly StoredEvent[] => log[place]!);
  const feed = new Feed(read);
  for (const [place, told] of log.entries()) feed.append(place, told);
  return { feed, log, read };
}

describe('a feed', () => {
  it('holds so many events and no more, and reads every other one from the log', () => {
    const { feed, log, read } = fed(Array.from({ length: 3 * MOST_AT_HAND }, () => 1));
    expect(read).not.toHaveBeenCalled();
    for (const [n, told] of log.entries()) expect(feed.get(n + 1)?.stored).toBe(told[0]);
    expect(read).toHaveBeenCalledTimes(2 * MOST_AT_HAND);
  });

  it('gives the same, whether it is at hand or not', () => {
    const sizes = Array.from({ length: MOST_AT_HAND }, (_, n) => n % 4);
    const { feed, log, read } = fed(sizes);
    const all = log.flat();
    const entries = feed.after(0);
    expect(read).toHaveBeenCalled();
    expect(entries.map(({ stored }) => stored)).toEqual(all);
    expect(entries.map(({ number }) => number)).toEqual(all.map((_, n) => n + 1));
    for (const { stored, causedBy } of entries)
      expect(causedBy).toBe(
        stored.position === 0 ? undefined : entries.findIndex((one) => one.stored.id === stored.id) + 1,
      );
    expect(feed.after(5, 3)).toEqual(entries.slice(5, 8));
    expect([feed.after(all.length), feed.after(all.length + 9, 3)]).toEqual([[], []]);
    expect(feed.ofWorkUnit('wu-1')).toEqual(entries.filter(({ stored }) => stored.meta.workUnitId === 'wu-1'));
    expect(feed.countOfWorkUnit('wu-1')).toBe(feed.ofWorkUnit('wu-1').length);
  });

  it('reads a node once for all of its events that are asked for', () => {
    const { feed, read } = fed([100, MOST_AT_HAND]);
    expect(feed.after(0, 100)).toHaveLength(100);
    expect(read.mock.calls).toEqual([[0]]);
  });

  it('finds by session and by some work units, oldest first, and nothing of those that nobody knows', () => {
    const feed = new Feed((place) => [log[place]!]);
    const log = ['a', 'b', 'a', 'c', 'b'].map((unit, n) =>
      event(`t${n}`, 0, { workUnitId: `wu-${unit}`, ...(n % 2 === 0 ? { sessionId: 's' } : {}) }),
    );
    for (const [place, stored] of log.entries()) feed.append(place, [stored]);
    feed.append(9, [event('t9', 0)]);
    expect(feed.numbersOfSession('s')).toEqual([1, 3, 5]);
    expect(feed.ofSession('s').map(({ stored }) => stored)).toEqual([log[0], log[2], log[4]]);
    expect(feed.numbersOfWorkUnits(['wu-b', 'wu-a'])).toEqual([1, 2, 3, 5]);
    expect(feed.numbersOfWorkUnits(['wu-x', 'wu-c'])).toEqual([4]);
    expect(feed.numbersOfWorkUnits([])).toEqual([]);
    for (const unknown of ['wu-x', 'undefined'])
      expect([feed.countOfWorkUnit(unknown), feed.ofWorkUnit(unknown), feed.ofSession(unknown)]).toEqual([0, [], []]);
    expect([feed.countOfWorkUnit('wu-a'), feed.last]).toEqual([2, 6]);
    expect([feed.get(0), feed.get(7)]).toEqual([undefined, undefined]);
  });

  it('tells of what comes until nobody listens, and goes on from an image', () => {
    const { feed, log, read } = fed([1, 2, 3]);
    const told: number[] = [];
    const unsubscribe = feed.onEvent(({ number }) => told.push(number));
    feed.append(3, [event('t3', 0, { workUnitId: 'wu-1' }), event('t3', 1)]);
    unsubscribe();
    feed.append(4, [event('t4', 0)]);
    expect(told).toEqual([7, 8]);
    const restored = new Feed(read);
    restored.restore(feed.kept());
    expect(restored.kept()).toEqual(feed.kept());
    expect(restored.after(0, 6).map(({ stored }) => stored)).toEqual(log.flat());
    expect(restored.numbersOfWorkUnits(['wu-0', 'wu-1'])).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});
