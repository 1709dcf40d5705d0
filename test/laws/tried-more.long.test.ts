import fc from 'fast-check';
import { expect, it } from 'vitest';

it('a property is tried twenty times as often in the long suite', () => {
  let tried = 0;
  fc.assert(
    fc.property(fc.nat(), () => void tried++),
    { numRuns: 3 },
  );
  expect(tried).toBe(60);
});
