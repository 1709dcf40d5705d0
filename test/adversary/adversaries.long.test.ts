import { describe, it } from 'vitest';
import { attack } from './adversaries.js';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed + 100);

describe.each(['stranger', 'member'] as const)('a %s', (kind) => {
  it.each(SEEDS)('learns nothing and changes nothing by 5,000 hostile frames from seed %i', (seed) =>
    attack(kind, seed, 5000),
  );
});
