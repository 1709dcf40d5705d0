import { describe, expect, it } from 'vitest';
import { DecodeError } from './bytes/bytes.js';
import {
  type Sieve,
  anything,
  bytesOf,
  count,
  flag,
  listOf,
  number,
  objectOf,
  oneOf,
  optional,
  recordOf,
  sift,
  text,
  textUpTo,
} from './sieve.js';

/** A value of each kind that JSON and MessagePack have, and some at an edge. */
const VALUES = [
  ...[undefined, null, true, false, '', 'a', 'abc', 'abcd', 0, 1, -1, 0.5, 2 ** 53 - 1, 2 ** 53, Infinity, Number.NaN],
  ...[[], ['a'], ['a', 'b'], ['a', 'b', 'c'], [1], {}, { a: 'b' }, { a: 1 }, 10n],
  ...[0, 2, 4, 6, 3].map((length) => new Uint8Array(length)),
];

const passing = (sieve: Sieve<unknown>): unknown[] =>
  VALUES.filter((value) => {
    try {
      sieve(value);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError);
      return false;
    }
  });

describe('a sieve', () => {
  it('lets through what is of its kind, and nothing else', () => {
    expect(passing(anything)).toEqual(VALUES);
    expect(passing(text)).toEqual(['', 'a', 'abc', 'abcd']);
    expect(passing(textUpTo(3))).toEqual(['', 'a', 'abc']);
    expect(passing(flag)).toEqual([true, false]);
    expect(passing(number)).toEqual([0, 1, -1, 0.5, 2 ** 53 - 1, 2 ** 53]);
    expect(passing(count)).toEqual([0, 1, 2 ** 53 - 1]);
    expect(passing(oneOf('a', 'abcd'))).toEqual(['a', 'abcd']);
    expect(passing(bytesOf(2, 2))).toEqual([0, 2, 4].map((length) => new Uint8Array(length)));
    expect(passing(bytesOf(2, 3, 2))).toEqual([4, 6].map((length) => new Uint8Array(length)));
    expect(passing(listOf(text))).toEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']]);
    expect(passing(listOf(anything, 2))).toEqual([[], ['a'], ['a', 'b'], [1]]);
  });

  it('of names and fields gives what it knows, and refuses what is no object', () => {
    const record = recordOf(text, textUpTo(2));
    expect(record({ a: 'b', cd: '' })).toEqual({ a: 'b', cd: '' });
    for (const odd of [{ a: 1 }, { abc: 'b' }, null, [], 'a', undefined]) expect(sift(record, odd)).toBeUndefined();
    const fields = objectOf({ a: text, b: optional(count), c: listOf(flag) });
    expect(fields({ a: 'x', b: 1, c: [true], more: 1 })).toEqual({ a: 'x', b: 1, c: [true] });
    expect(fields({ a: 'x', b: undefined, c: [] })).toEqual({ a: 'x', c: [] });
    expect(Object.keys(fields({ a: 'x', c: [] }))).toEqual(['a', 'c']);
    for (const odd of [{ c: [] }, { a: 'x', b: -1, c: [] }, { a: 'x', b: null, c: [] }, { a: 'x', c: [1] }, [], null])
      expect(sift(fields, odd)).toBeUndefined();
  });

  it('takes no fault of its own for one of the value', () => {
    const fault = new Error('a bug');
    const broken = (): never => {
      throw fault;
    };
    expect(() => sift(broken, 1)).toThrow(fault);
    expect(sift(text, 1)).toBeUndefined();
    expect(sift(text, 'a')).toBe('a');
  });
});
