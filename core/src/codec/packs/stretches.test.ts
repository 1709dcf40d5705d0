import { describe, expect, it } from 'vitest';
import { Stretches } from './stretches.js';

type Edit = readonly ['insert', count: number] | readonly ['erase', element: number];

/** What is expected to be named next, before the first edit and after each. */
function expectedAfter(...edits: readonly Edit[]): number[] {
  const stretches = new Stretches();
  stretches.add(0, 5);
  const stretch = stretches.add(0, 100);
  const expected = [stretches.expected(stretch)];
  for (const [kind, value] of edits) {
    if (kind === 'insert') stretches.insert(stretch, value);
    else stretches.erase(stretch, value);
    expected.push(stretches.expected(stretch));
  }
  // Another stretch is not touched.
  expect([stretches.expected(0), stretches.inserted(0)]).toEqual([4, 5]);
  return expected;
}

describe('a stretch', () => {
  it('[PK2] expects the element that it inserted last', () => {
    expect(expectedAfter(['insert', 1], ['insert', 7])).toEqual([99, 100, 107]);
  });

  it('[PK2] expects after a deletion the element before it, on and on', () => {
    expect(expectedAfter(['erase', 99], ['erase', 98], ['erase', 97])).toEqual([99, 98, 97, 96]);
    expect(expectedAfter(['erase', 50], ['erase', 20])).toEqual([99, 49, 19]);
  });

  it('[PK2] expects the element behind it when the deletion before named the element before', () => {
    expect(expectedAfter(['erase', 50], ['erase', 51], ['erase', 52], ['erase', 51])).toEqual([99, 49, 52, 53, 50]);
    // At the start, the deletion before is that of the element before the first.
    expect(expectedAfter(['erase', 0], ['erase', 1])).toEqual([99, -1, 2]);
  });

  it('[PK2] starts anew with every insertion', () => {
    expect(expectedAfter(['erase', 50], ['insert', 2], ['erase', 51])).toEqual([99, 49, 101, 50]);
    expect(expectedAfter(['erase', 49], ['erase', 50], ['insert', 1], ['erase', 51])).toEqual([99, 48, 51, 100, 50]);
  });

  it('[PK2] knows its author, its latest node and how many elements it has inserted', () => {
    const stretches = new Stretches();
    const [one, two] = [stretches.add(3, 0), stretches.add(9, 2 ** 31 - 3)];
    stretches.goOn(one, 4);
    stretches.insert(one, 10);
    stretches.insert(two, 1);
    const read = [one, two].map((s) => [stretches.identity(s), stretches.latest(s), stretches.inserted(s)]);
    expect([stretches.length, read]).toEqual([
      2,
      [
        [3, 4, 10],
        [9, -1, 2 ** 31 - 2],
      ],
    ]);
  });
});
