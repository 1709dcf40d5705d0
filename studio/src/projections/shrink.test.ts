import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMERGENCY_BYTES, LEVELS, shrink } from './shrink.js';

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme', minLength: 300, maxLength: 900 }));
const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined));
const item = fc.record({
  id: fc.string({ minLength: 12, maxLength: 12 }),
  text,
  list: fc.array(leaf, { maxLength: 30 }),
});
const view = fc.record({
  id: fc.string(),
  number: fc.integer(),
  text,
  absent: fc.constant(undefined),
  items: fc.array(item, { maxLength: 130 }),
  counts: fc
    .array(fc.tuple(fc.string({ maxLength: 20 }), fc.integer()), { maxLength: 130 })
    .map((rows) => new Map(rows)),
  nested: fc.record({ items: fc.array(text, { maxLength: 30 }), one: item }),
});
const size = (data: object): number => Buffer.byteLength(JSON.stringify(data));

/** Whether a smaller view says nothing that a greater one does not say. */
function isPart(smaller: unknown, greater: unknown): boolean {
  if (typeof smaller === 'string' && typeof greater === 'string')
    return smaller === greater || (smaller.endsWith('…') && greater.startsWith(smaller.slice(0, -1)));
  if (Array.isArray(smaller) && Array.isArray(greater)) return smaller.every((one, i) => isPart(one, greater[i]));
  if (typeof smaller === 'object' && smaller !== null && typeof greater === 'object' && greater !== null)
    return Object.entries(smaller).every(([key, value]) => isPart(value, (greater as Record<string, unknown>)[key]));
  return smaller === greater;
}

describe('a view at a level', () => {
  it('is a part of the same view at the level above, and never larger', () => {
    fc.assert(
      fc.property(view, (whole) => {
        const levels = LEVELS.map((level) => shrink(whole, level).data);
        levels.slice(1).forEach((smaller, i) => {
          const greater = levels[i]!;
          expect(isPart(smaller, greater)).toBe(true);
          expect(Object.keys(smaller)).toEqual(Object.keys(greater));
          // Two bytes more are the mark of a text that was cut.
          expect(size(smaller)).toBeLessThanOrEqual(size(greater) + 2 * JSON.stringify(smaller).split('…').length);
        });
        expect(size(levels[3]!)).toBeLessThanOrEqual(EMERGENCY_BYTES);
      }),
      { numRuns: 40 },
    );
  });

  it('says whether something is left out', () => {
    const long = { text: 'x'.repeat(500), list: [1] };
    expect(shrink(long, 'Full')).toEqual({ data: long, truncated: false });
    expect(shrink(long, 'Normal').truncated).toBe(false);
    expect(shrink(long, 'Compact')).toMatchObject({ truncated: true, data: { list: [1] } });
    expect(shrink({ list: Array.from({ length: 21 }, (_, i) => i) }, 'Compact')).toMatchObject({ truncated: true });
    expect(shrink({ gone: undefined }, 'Full')).toEqual({ data: {}, truncated: false });
  });

  it('does nothing to lists at the fullest, which may be very long', () => {
    const list = Array.from({ length: 1000 }, (_, n) => ({ n }));
    const { data } = shrink({ list, counts: new Map([['a', 1]]) }, 'Full');
    expect(data['list']).toBe(list);
    expect(data['counts']).toEqual({ a: 1 });
  });

  it('keeps the first, and no half of a character', () => {
    const { data } = shrink(
      { list: Array.from({ length: 9 }, (_, i) => i), text: `${'x'.repeat(118)}😀${'x'.repeat(40)}` },
      'Emergency',
    );
    expect(data).toEqual({ list: [0, 1, 2, 3, 4], text: `${'x'.repeat(118)}…` });
  });
});
