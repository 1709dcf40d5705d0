import { describe, expect, it } from 'vitest';
import { simulate } from './testing/simulation.js';

const FIRST = 12;
const SEEDS = Number(process.env['WEFT_SEEDS'] ?? 500);

describe('a simulated host', () => {
  it.each([...Array(SEEDS).keys()].map((i) => FIRST + i))('brings every goal to its end: seed %i', async (seed) => {
    expect((await simulate(seed)).units).toBeGreaterThan(0);
  });
});
