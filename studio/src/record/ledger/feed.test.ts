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
});
