import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IntColumn } from '../codec/bytes/columns.js';
import { Cells, checkOf } from './cells.js';
import { filterCells } from './id-filters.js';
import { symbolCells } from './symbols.js';
import { bytesOf, columnOf } from './testing/cells.js';

const words = (count: number) =>
  fc.uniqueArray(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: count });

function cellsWith(ids: readonly (readonly [number, number])[], length: number, sign: 1 | -1 = 1): Cells {
  const cells = new Cells(length, 2);
  for (const id of ids) {
    const chosen = new IntColumn();
    symbolCells(Int32Array.from(id), 0, length, chosen);
    cells.toggle(Int32Array.from(id), 0, chosen, sign);
  }
  return cells;
}

const pairs = (column: IntColumn): string[] =>
  Array.from({ length: column.length / 2 }, (_, i) => `${column.values[2 * i]} ${column.values[2 * i + 1]}`).sort();

describe('cells', () => {
  it('[RC2] the check word is as specified', () => {
    expect(checkOf(Int32Array.of(), 0, 0) >>> 0).toBe(0x3288028d);
    expect(checkOf(Int32Array.of(1, 2), 0, 2) >>> 0).toBe(0xc5f47e7c);
    expect(checkOf(Int32Array.of(9, 1, 2, 9), 1, 2)).toBe(checkOf(Int32Array.of(1, 2), 0, 2));
    expect(checkOf(Int32Array.of(1, 2), 0, 2)).not.toBe(checkOf(Int32Array.of(2, 1), 0, 2));
  });

  it('[RC2] subtracted and peeled they give each id of the difference with its side', () => {
    fc.assert(
      fc.property(words(60), fc.nat(20), fc.nat(20), (drawn, onlyOurs, onlyTheirs) => {
        const ids = drawn.map((word, i) => [word, i] as const);
        const ours = ids.slice(onlyTheirs);
        const theirs = [...ids.slice(0, onlyTheirs), ...ids.slice(onlyTheirs + onlyOurs)];
        const sides = Cells.difference(cellsWith(theirs, 256), cellsWith(ours, 256)).peel(symbolCells)!;
        expect(pairs(sides.theirs)).toEqual(
          ids
            .slice(0, onlyTheirs)
            .map((id) => id.join(' '))
            .sort(),
        );
        expect(pairs(sides.ours)).toEqual(
          ids
            .slice(onlyTheirs, onlyTheirs + onlyOurs)
            .map((id) => id.join(' '))
            .sort(),
        );
      }),
    );
  });

  it('[RC2] what is written is read again, counts modulo 2^16', () => {
    const cells = cellsWith(
      Array.from({ length: 70_000 }, (_, i) => [i, i * i] as const),
      3,
    );
    expect(cells.countAt(0)).toBe(70_000 - 65_536);
    const bytes = new Uint8Array(3 * Cells.cellBytes(2));
    cells.writeTo(bytes, 0);
    const read = Cells.read(bytes, 0, 2);
    expect(read.length).toBe(3);
    for (const cell of [0, 1, 2])
      expect([read.countAt(cell), read.sumAt(cell)]).toEqual([cells.countAt(cell), cells.sumAt(cell)]);
    expect(Cells.difference(read, cells).peel(symbolCells)).toEqual({
      theirs: new IntColumn(),
      ours: new IntColumn(),
    });
  });

  it('[RC2] folded cells are those of fewer cells', () => {
    const ids = Int32Array.from({ length: 8 * 40 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
    const [large, small] = [new Cells(320, 8), new Cells(80, 8)];
    for (let at = 0; at < ids.length; at += 8)
      for (const cells of [large, small]) {
        const chosen = new IntColumn();
        filterCells(ids, at, cells.length, chosen);
        cells.toggle(ids, at, chosen, 1);
      }
    expect(bytesOf(large.folded(2))).toEqual(bytesOf(small));
  });

  it('[RC2] too many ids do not decode, and nothing is made up for them', () => {
    const ids = Array.from({ length: 200 }, (_, i) => [Math.imul(i + 1, 0x9e3779b1), i] as const);
    expect(cellsWith(ids, 100).peel(symbolCells)).toBeUndefined();
    expect(cellsWith(ids, 400).peel(symbolCells)?.theirs.length).toBe(400);
  });

  it('[RC2] an id twice in, or ids that all share their cells, do not decode', () => {
    expect(
      cellsWith(
        [
          [5, 6],
          [5, 6],
        ],
        64,
      ).peel(symbolCells),
    ).toBeUndefined();
    const cells = new Cells(64, 2);
    for (const id of [Int32Array.of(1, 2), Int32Array.of(3, 4), Int32Array.of(5, 6)])
      cells.toggle(id, 0, columnOf([3, 9]), 1);
    expect(cells.peel(() => undefined)).toBeUndefined();
  });

  it('[RC2] an id that comes out again and again ends it [fault 24]', () => {
    // Each cell on its own says that it holds the id; taken out of all, it stands in all of them the other way round.
    const cells = new Cells(4, 2);
    const id = Int32Array.of(7, 8);
    cells.toggle(id, 0, columnOf([0]), 1);
    let calls = 0;
    const everywhere = (_ids: Int32Array, _at: number, length: number, chosen: IntColumn): void => {
      calls++;
      for (let cell = 0; cell < length; cell++) chosen.push(cell);
    };
    expect(cells.peel(everywhere)).toBeUndefined();
    expect(calls).toBeLessThanOrEqual(5);
  });

  it('[RC2] ids that fall into very many cells cost no more than 64 steps a cell [fault 24]', () => {
    const cells = new Cells(512, 2);
    for (let n = 0; n < 512; n++) cells.toggle(Int32Array.of(n, n), 0, columnOf([n]), 1);
    let steps = 0;
    const many = (ids: Int32Array, at: number, length: number, chosen: IntColumn): void => {
      chosen.push(ids[at]!);
      for (let i = 0; i < length; i++) chosen.push((i * 2 + ids[at]!) % length);
      steps += length;
    };
    expect(cells.peel(many)).toBeUndefined();
    expect(steps).toBeLessThanOrEqual(512 * 66);
  });

  it('[RC2] any bytes decode or do not, within the bound', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 14 * 60 }), (bytes) => {
        const cells = Cells.read(bytes, 0, 2);
        const sides = cells.peel(symbolCells);
        if (sides) expect(sides.theirs.length + sides.ours.length).toBeLessThanOrEqual(cells.length * 2);
      }),
    );
  });
});
