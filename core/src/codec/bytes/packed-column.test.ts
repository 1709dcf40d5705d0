import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';
import { LogColumn, piecesOf } from './log-column.js';
import { loadPacked, packColumn, savePacked } from './packed-column.js';
import { BLOCK } from './packed-numbers.js';

const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
/** What columns hold: runs of one number, runs that rise, numbers near a line, and anything. */
const stretch = fc.record({
  start: int,
  step: fc.constantFrom(0, 1, 1, 46, -3),
  above: fc.constantFrom(0, 0, 1, 5, 40_000, 2 ** 32 - 1),
  count: fc.nat(BLOCK * 2),
});
const stretches = fc.array(stretch, { maxLength: 6, size: 'max' });

function numbersOf(all: readonly { start: number; step: number; above: number; count: number }[]): number[] {
  return all.flatMap(({ start, step, above, count }, seed) =>
    Array.from({ length: count }, (_, i) => {
      const noise = above === 0 ? 0 : ((i + seed) * 2654435761) % (above + 1);
      return Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), start + step * i + noise)) | 0;
    }),
  );
}

const columnOf = (numbers: readonly number[]): LogColumn => {
  const column = new LogColumn();
  for (const number of numbers) column.push(number);
  return column;
};
const allOf = (column: LogColumn): number[] => Array.from({ length: column.length }, (_, i) => column.get(i));
const saved = (column: LogColumn): Uint8Array => {
  const out = new ByteWriter();
  savePacked(column, out);
  return out.finish();
};
const loaded = (bytes: Uint8Array): LogColumn => loadPacked(new ByteReader(bytes));

describe('[ST10] a column that is packed', () => {
  it('reads as the array that it was, packed at once or bit by bit, saved or not', () => {
    fc.assert(
      fc.property(stretches, fc.array(fc.nat(100), { maxLength: 3 }), (all, cuts) => {
        const numbers = numbersOf(all);
        let column = columnOf(numbers);
        for (const cut of [...cuts].sort((a, b) => a - b))
          column = packColumn(column, Math.floor((numbers.length * cut) / 100));
        expect(allOf(column)).toEqual(numbers);
        column = packColumn(column, numbers.length);
        expect(column.packed?.length ?? 0).toBe(numbers.length - (numbers.length % BLOCK));
        expect(allOf(column)).toEqual(numbers);
        expect(allOf(loaded(saved(column)))).toEqual(numbers);
        const [from, to] = [numbers.length >> 2, numbers.length >> 1];
        expect([...column.slice(from, to)]).toEqual(numbers.slice(from, to));
      }),
      { numRuns: 60 },
    );
  });

  it('grows, is cut and unpacked as an array is', () => {
    fc.assert(
      fc.property(stretches, fc.array(int, { maxLength: 20 }), fc.nat(100), (all, more, part) => {
        let numbers = numbersOf(all);
        let column = packColumn(columnOf(numbers), numbers.length);
        for (const number of more) column.push(number);
        numbers = [...numbers, ...more];
        expect(allOf(column)).toEqual(numbers);
        numbers.length = Math.floor((numbers.length * part) / 100);
        column.truncate(numbers.length);
        expect(allOf(column)).toEqual(numbers);
        column.push(7);
        column = column.unpacked();
        expect(column.packed).toBeUndefined();
        if (numbers.length > 0) column.set(0, (numbers[0] = 5));
        expect(allOf(column)).toEqual([...numbers, 7]);
      }),
      { numRuns: 60 },
    );
  });

  it('tells of each piece what its numbers are not beyond', () => {
    fc.assert(
      fc.property(stretches, (all) => {
        const numbers = numbersOf(all);
        const column = packColumn(columnOf(numbers), numbers.length);
        let end = 0;
        for (const { from, to, base, step, above } of piecesOf(column)) {
          expect(from).toBe(end);
          end = to;
          for (let i = from; i < to; i++) {
            const over = column.get(i) - (base + step * (i - from));
            if (Number.isFinite(above)) expect(over >= 0 && over <= above).toBe(true);
          }
        }
        expect(end).toBe(column.length);
      }),
      { numRuns: 30 },
    );
  });

  it('takes next to nothing for what one author writes in a row', () => {
    const row = packColumn(columnOf(Array.from({ length: BLOCK * 100 }, (_, i) => i + 5)), BLOCK * 100);
    expect(saved(row).length).toBeLessThan(row.length / 16);
  });

  it('does not change, and says so', () => {
    const column = packColumn(columnOf(Array.from({ length: BLOCK + 5 }, (_, i) => i)), BLOCK + 5);
    expect(() => column.set(3, 1)).toThrow('does not change');
    expect(() => column.whole()).toThrow('in no array');
    expect(() => column.moveUp(0, BLOCK, BLOCK + 5)).toThrow('do not move');
    expect([...column.values]).toEqual([0, 1, 2, 3, 4].map((i) => BLOCK + i));
  });

  it('is read from bytes, or refused: nothing else comes of those that were changed', () => {
    const bytes = saved(columnOf(numbersOf([{ start: 3, step: 1, above: 5, count: 600 }])));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length), (at, value, length) => {
        const changed = bytes.slice(0, length);
        if (at < length) changed[at] = value;
        try {
          const column = loaded(changed);
          for (const number of allOf(column)) expect(Number.isFinite(number)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 300 },
    );
  });
});
