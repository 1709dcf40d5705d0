import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Withheld } from './withheld.js';

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ set: fc.nat(200), elements: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ delete: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.constant({ clear: true }) },
);

it('[HD1] withheld nodes are what a map of them is, in ascending order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const withheld = new Withheld();
      const model = new Map<number, number>();
      for (const one of steps) {
        for (const held of [withheld, model]) {
          if ('set' in one) held.set(one.set, one.elements);
          else if ('delete' in one) held.delete(one.delete);
          else held.clear();
        }
        const sorted = [...model].sort(([a], [b]) => a - b);
        expect([withheld.size, ...withheld].join()).toBe([model.size, ...sorted].join());
      }
      const told = (held: { has(place: number): boolean; get(place: number): number | undefined }): unknown[] =>
        Array.from({ length: 300 }, (_, place) => `${held.has(place)} ${held.get(place)}`);
      expect(told(withheld)).toEqual(told(model));
    }),
    { numRuns: 100 },
  );
});
