import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cut, type Run, RunIndex, append, follow, isSame, joined, lastOf, without } from './runs.js';

const run = (chain: number, counter: number, count: number): Run => ({ chain, counter, count });
const cut = (chain: number, counter: number, text: string): Cut => ({ chain, counter, count: text.length, text });

const elementsOf = (runs: Iterable<Run>): string[] =>
  [...runs].flatMap(({ chain, counter, count }) => Array.from({ length: count }, (_, i) => `${chain}:${counter + i}`));

/** Runs of two chains that do not overlap. */
const apart = fc
  .array(fc.record({ chain: fc.nat(1), skip: fc.nat(4), count: fc.integer({ min: 1, max: 4 }) }), { maxLength: 8 })
  .map((steps) => {
    const at = [0, 0];
    return steps.map(({ chain, skip, count }) => {
      const counter = at[chain]! + skip;
      at[chain] = counter + count;
      return run(chain, counter, count);
    });
  });

describe('runs', () => {
  it('[TX2] grow where one goes on with the last, and only there', () => {
    const runs: Run[] = [];
    append(runs, run(1, 5, 2));
    append(runs, run(1, 7, 3));
    expect(runs).toEqual([run(1, 5, 5)]);
    for (const other of [run(2, 10, 1), run(2, 12, 1), run(2, 10, 1), run(2, 11, 1)]) append(runs, other);
    expect(runs).toEqual([run(1, 5, 5), run(2, 10, 1), run(2, 12, 1), run(2, 10, 2)]);
  });

  it('[TX2] of what was deleted are joined with their text', () => {
    const [a, b] = [cut(1, 0, 'ab'), cut(1, 2, 'cd')];
    expect(joined([a], [b])).toEqual([cut(1, 0, 'abcd')]);
    expect(joined([cut(2, 0, 'x'), a], [b, cut(2, 9, 'y')])).toEqual([
      cut(2, 0, 'x'),
      cut(1, 0, 'abcd'),
      cut(2, 9, 'y'),
    ]);
    expect(joined([b], [a])).toEqual([b, a]);
    expect(joined([a], [cut(2, 2, 'cd')])).toEqual([a, cut(2, 2, 'cd')]);
    expect([joined([], [a]), joined([a], []), joined([], [])]).toEqual([[a], [a], []]);
  });

  it('[TX2] end with their last element, and elements are the same by chain and counter', () => {
    expect(lastOf(run(3, 5, 2))).toEqual({ chain: 3, counter: 6 });
    const one = { chain: 1, counter: 2 };
    expect(isSame(one, { ...one })).toBe(true);
    for (const other of [{ ...one, chain: 2 }, { ...one, counter: 3 }, undefined]) {
      expect(isSame(one, other)).toBe(false);
      expect(isSame(other, one)).toBe(false);
    }
    expect(isSame(undefined, undefined)).toBe(false);
  });

  it('[TX2] are found where they have elements of another, and cut to those', () => {
    const index = new RunIndex([run(1, 20, 5), run(1, 0, 5), run(2, 0, 50), run(1, 10, 5)]);
    const within = (wanted: Run) => [...index.within(wanted)].map(({ common, held }) => [common, held.counter]);
    expect(within(run(1, 3, 20))).toEqual([
      [run(1, 3, 2), 0],
      [run(1, 10, 5), 10],
      [run(1, 20, 3), 20],
    ]);
    expect(within(run(1, 5, 5))).toEqual([]);
    expect(within(run(1, 25, 5))).toEqual([]);
    expect(within(run(3, 0, 50))).toEqual([]);
    expect(within(run(1, 11, 2))).toEqual([[run(1, 11, 2), 10]]);
  });

  it('[TX2] without others have just the elements that those have not', () => {
    fc.assert(
      fc.property(apart, apart, (runs, others) => {
        const left = without(runs, new RunIndex(others), ({ chain }, counter, count) => run(chain, counter, count));
        const gone = new Set(elementsOf(others));
        expect(elementsOf(left)).toEqual(elementsOf(runs).filter((element) => !gone.has(element)));
        expect(left.every(({ count }) => count > 0)).toBe(true);
      }),
    );
  });

  it('[TX2] follow their elements to where these are by now', () => {
    fc.assert(
      fc.property(apart, apart, (runs, moved) => {
        const to = (element: string): string => {
          const [chain, counter] = element.split(':').map(Number) as [number, number];
          const isMoved = moved.some((one) => one.chain === chain && elementsOf([one]).includes(element));
          return isMoved ? `${chain + 5}:${counter + 100}` : element;
        };
        const index = new RunIndex(
          moved.map((one) => ({ ...one, to: { chain: one.chain + 5, counter: one.counter + 100 } })),
        );
        const followed = follow(runs, index);
        expect(elementsOf(followed)).toEqual(elementsOf(runs).map(to));
        expect(followed.every(({ count }) => count > 0)).toBe(true);
      }),
    );
  });
});
