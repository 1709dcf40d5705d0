import { expect, it } from 'vitest';
import { listOf } from './attention-item.js';

it('names in a line are the first of them, and how many more there are', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listOf)).toEqual([
    'nothing',
    'a',
    'a and 1 more',
    'a and 2 more',
  ]);
});
