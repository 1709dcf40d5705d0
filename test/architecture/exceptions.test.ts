import { expect, it } from 'vitest';
import { unexcused } from './exceptions.js';

const listed = [{ reason: 'It is old.', lines: ['a', 'b'] }];

it('what is listed is let through', () => {
  expect(unexcused(['a', 'b'], listed)).toEqual([]);
});

it('what is not listed is reported', () => {
  expect(unexcused(['a', 'b', 'c'], listed)).toEqual(['c']);
});

it('what is listed and no longer so is reported: the list shrinks', () => {
  expect(unexcused(['b'], listed)).toEqual(['no longer so, take it off the list: a']);
});
