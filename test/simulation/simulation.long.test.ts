import { describe, expect, it } from 'vitest';
import { simulate } from './simulate.js';

const STEPS = 4000;
const SEEDS = 250;
/** Seeds in one case, so that a failing one is found in less than all of them. */
const TOGETHER = 25;

describe(`${(STEPS * SEEDS).toLocaleString('en')} steps of a simulated room server`, () => {
  it.each(Array.from({ length: SEEDS / TOGETHER }, (_, i) => 1000 + i * TOGETHER))(
    'keep every law: seeds from %i on',
    async (first) => {
      for (let seed = first; seed < first + TOGETHER; seed++) {
        const { breach } = await simulate(seed, STEPS);
        expect(breach?.message, `npm run sim -- --seed ${seed} --steps ${STEPS}`).toBeUndefined();
      }
    },
  );
});
