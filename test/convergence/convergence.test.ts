import { describe, expect, it } from 'vitest';
import { Network } from './network.js';
import { Random } from './random.js';

/** Seeds that once failed are kept here; in these, two replicas of one author write between each other. */
const KNOWN: readonly number[] = [254954262, 2609221403, 3088757660];
const FRESH = Array.from({ length: 12 }, () => Math.floor(Math.random() * 2 ** 32));
const STEPS = 150;

describe('replicas and their server', () => {
  it.each([
    ...KNOWN.map((seed) => [seed, 'registers'] as const),
    ...FRESH.map((seed) => [seed, 'everything'] as const),
  ])('[MP2] reach one state and one frontier (seed %i, %s)', async (seed, kinds) => {
    const random = new Random(seed);
    const network = await Network.open(random, kinds);
    for (let step = 0; step < STEPS; step++) await network.step();
    await network.settle();

    const [server, ...others] = await network.answers();
    if (kinds === 'everything') expect(server?.entries.texts.join(''), `seed ${seed}`).not.toBe('');
    for (const answer of others) expect(answer, `seed ${seed}`).toEqual(server);
    const { sealed, held } = network.counts;
    expect(held, `seed ${seed}`).toBe(sealed);
    expect(sealed).toBeGreaterThan(10);
    await network.close();
  });
});
