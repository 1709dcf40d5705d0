import { expect, it } from 'vitest';
import { mayResult, planSets, sameEntries } from './graph-map.js';
import { seeded } from '../measuring/random.js';

it('gives every author as many sets, each of another value, over a tenth as many keys', () => {
  const plan = planSets(5_000, seeded(1));
  expect(plan.map((sets) => sets.length)).toEqual(Array.from({ length: 100 }, () => 50));
  const sets = plan.flat();
  expect(new Set(sets.map(({ value }) => value)).size).toBe(5_000);
  const keys = new Set(sets.map(({ key }) => key)).size;
  expect(keys).toBeGreaterThan(450);
  expect(keys).toBeLessThanOrEqual(500);
  expect(planSets(7, seeded(1)).flat()).toHaveLength(7);
});

it('takes for a result what some author wrote last to each key, and nothing else', () => {
  const plan = [
    [
      { key: 'a', value: 1 },
      { key: 'a', value: 2 },
    ],
    [
      { key: 'a', value: 3 },
      { key: 'b', value: 4 },
    ],
  ];
  const found = (a: unknown, ...more: [string, unknown][]): Map<string, unknown> => new Map([['a', a], ...more]);
  expect(mayResult(found(2, ['b', 4]), plan)).toBe(true);
  expect(mayResult(found(3, ['b', 4]), plan)).toBe(true);
  expect(mayResult(found(1, ['b', 4]), plan)).toBe(false);
  expect(mayResult(found(2), plan)).toBe(false);
  expect(mayResult(found(2, ['b', 4], ['c', 5]), plan)).toBe(false);
});

it('tells maps apart', () => {
  const one = new Map([['a', 1]]);
  expect(sameEntries(one, new Map([['a', 1]]))).toBe(true);
  expect(sameEntries(one, new Map([['a', 2]]))).toBe(false);
  expect(sameEntries(one, new Map([['b', 1]]))).toBe(false);
  expect(sameEntries(new Map([['a', undefined]]), new Map([['b', undefined]]))).toBe(false);
});
