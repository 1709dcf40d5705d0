import { describe, expect, it } from 'vitest';
import { simulateStudio } from './simulate.js';

const STEPS = 1000;
const SEEDS = 2000;
/** Seeds in one case, so that a failing one is found in less than all of them. */
const TOGETHER = 10;

describe(`${(STEPS * SEEDS).toLocaleString('en')} steps of a simulated studio`, () => {
  it.each(Array.from({ length: SEEDS / TOGETHER }, (_, i) => 1000 + i * TOGETHER))(
    'keep every law: seeds from %i on',
    async (first) => {
      for (let seed = first; seed < first + TOGETHER; seed++) {
        const { breach } = await simulateStudio(seed, STEPS);
        expect(breach?.message, `npm run sim -- --studio --seed ${seed} --steps ${STEPS}`).toBeUndefined();
      }
    },
  );
});
