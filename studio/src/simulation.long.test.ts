import { describe, expect, it } from 'vitest';
import { simulate } from './testing/work/simulation.js';

/** Those before are in `simulation.test.ts`. */
const FIRST = 8;
const SEEDS = Number(process.env['WEFT_SEEDS'] ?? 2092);

describe('a simulated host', () => {
  it.each([...Array(SEEDS).keys()].map((i) => FIRST + i))('brings every goal to its end: seed %i', async (seed) => {
    expect((await simulate(seed)).units).toBeGreaterThan(0);
  });
});
