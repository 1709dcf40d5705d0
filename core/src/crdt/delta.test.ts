import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Step, differenceOf } from './delta.js';

function applied(before: string, delta: readonly Step<string>[]): string {
  let [text, at] = ['', 0];
  for (const step of delta) {
    if ('insert' in step) text += step.insert;
    else if ('delete' in step) at += step.delete;
    else {
      text += before.slice(at, at + step.retain);
      at += step.retain;
    }
  }
  return text + before.slice(at);
}

const between = (before: string, after: string): Step<string>[] =>
  differenceOf(
    before,
    after,
    (a, b) => before[a] === after[b],
    (from, to) => after.slice(from, to),
  );

describe('the delta between two states', () => {
  it('[CE2] keeps what both begin and end with, and says nothing where they are alike', () => {
    expect(between('abcd', 'abXcd')).toEqual([{ retain: 2 }, { insert: 'X' }]);
    expect(between('abXcd', 'abcd')).toEqual([{ retain: 2 }, { delete: 1 }]);
    expect(between('abcd', 'aYd')).toEqual([{ retain: 1 }, { delete: 2 }, { insert: 'Y' }]);
    expect(between('', 'ab')).toEqual([{ insert: 'ab' }]);
    expect(between('a😀b', 'a😁b')).toEqual([{ retain: 1 }, { delete: 2 }, { insert: '😁' }]); // one half is the same
    expect(between('a😀b', 'a🨀b')).toEqual([{ retain: 1 }, { delete: 2 }, { insert: '🨀' }]); // the other one
    expect(between('😀', '😀😁')).toEqual([{ retain: 2 }, { insert: '😁' }]);
    expect(between('ab', '')).toEqual([{ delete: 2 }]);
    expect(between('aa', 'aaa')).toEqual([{ retain: 2 }, { insert: 'a' }]);
    expect([between('', ''), between('ab', 'ab')]).toEqual([[], []]);
  });

  it('[CE2] makes the one of the other', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applied(before, between(before, after))).toBe(after);
      }),
    );
  });
});
