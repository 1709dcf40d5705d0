import { expect, it } from 'vitest';
import * as fc from 'fast-check';
import { sameAs } from './same.js';

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

it('what is the same stays the same object, and what has changed is what was brought', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, now) => {
      const wanted = JSON.stringify(now);
      expect(JSON.stringify(sameAs(copy(before), copy(now)))).toBe(wanted);
      const kept = copy(now);
      expect(sameAs(kept, copy(now))).toBe(kept);
    }),
  );
});

it('of a list, rows stay that say the same', () => {
  const before = [{ id: 'a', does: { what: 'one' } }, { id: 'b', does: { what: 'two' } }, { id: 'c' }];
  const now = sameAs(before, [{ id: 'a', does: { what: 'one' } }, { id: 'b', does: { what: 'more' } }, {}, []]);
  expect(now).toEqual([{ id: 'a', does: { what: 'one' } }, { id: 'b', does: { what: 'more' } }, {}, []]);
  expect(now).not.toBe(before);
  expect(now[0]).toBe(before[0]);
  expect(now[1]).not.toBe(before[1]);
  expect(sameAs({ a: undefined }, { b: undefined })).toEqual({ b: undefined });
  expect(sameAs([], {})).toEqual({});
});
