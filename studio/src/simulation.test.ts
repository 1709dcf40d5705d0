import { describe, expect, it } from 'vitest';
import { simulate } from './testing/work/simulation.js';

/** More of them are in `simulation.long.test.ts`. */
const SEEDS = process.env['TESTS_LONG'] ? 8 : 5;

describe('a simulated host', () => {
  it.each([...Array(SEEDS).keys()])('brings every goal to its end, whatever happens: seed %i', async (seed) => {
    expect((await simulate(seed)).units).toBeGreaterThan(0);
  });

  it('does the same again for the same seed', async () => {
    const [first, second] = [await simulate(5), await simulate(5)];
    expect(second).toEqual(first);
    expect(first.deaths).toBeGreaterThan(0);
  });
});
