import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IntColumn } from '../bytes/columns.js';
import { sha256 } from '../bytes/hash.js';
import { DIGEST_WORDS, digestWords } from '../sha256/words.js';
import type { FiledIds } from './filed-ids.js';
import { FiledIndex } from './filed-table.js';
import { IdIndex } from './id-index.js';

const id = (number: number): Int32Array => digestWords(sha256(Uint8Array.of(number >> 8, number & 0xff)));
const push = (column: IntColumn, words: Int32Array): void => words.forEach((word) => column.push(word));

/** Few ids, so that most come several times; and some that agree in the words by which a slot is chosen. */
const alike = (number: number): Int32Array => id(7).map((word, at) => (at === 7 ? number : word));
const akin = (number: number): Int32Array => id(7).map((word, at) => (at === 0 ? number : word));
const words = fc.oneof(fc.nat(40).map(id), fc.nat(400).map(id), fc.nat(9).map(alike), fc.nat(9).map(akin));
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ add: fc.array(words, { maxLength: 30 }) }) },
  { weight: 2, arbitrary: fc.record({ find: words }) },
  { weight: 2, arbitrary: fc.record({ keep: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ file: fc.nat(100) }) },
);

/** Ids before a column, as those in files are. */
function filedOf(held: readonly Int32Array[]): FiledIds {
  const firstOf = (words: Int32Array, at: number): number =>
    held.findIndex((one) => one.join() === words.subarray(at, at + DIGEST_WORDS).join());
  const begins = (one: Int32Array, first: number, second: number): boolean => one[0] === first && one[1] === second;
  return {
    count: held.length,
    names: [],
    fault: undefined,
    find: firstOf,
    beginning: (first, second) =>
      held.flatMap((one, at) => (begins(one, first, second) && firstOf(one, 0) === at ? [at] : [])),
    page: () => held[0]!,
  };
}

describe('an index of ids', () => {
  it('[ND1] [ID1] finds the first place of each id, however many were added, taken back and filed, as a map does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const column = new IntColumn(1);
        let index = new IdIndex(column);
        let model: Int32Array[] = [];
        let start = 0;
        const firstPlace = (wanted: Int32Array): number => model.findIndex((held) => held.join() === wanted.join());
        for (const one of steps) {
          if ('add' in one) {
            for (const added of one.add) push(column, added);
            model = [...model, ...one.add];
          } else if ('find' in one) {
            expect(index.find(one.find, 0)).toBe(firstPlace(one.find));
            const places = model.flatMap((held, place) => (firstPlace(held) === place ? [place] : []));
            const alike = places.filter((place) => [0, 1].every((word) => model[place]![word] === one.find[word]));
            expect(index.beginning(one.find[0]!, one.find[1]!).sort((a, b) => a - b)).toEqual(alike);
          } else if ('file' in one) {
            const size = Math.max(start, Math.floor((model.length * one.file) / 100));
            column.values = column.values.slice((size - start) * DIGEST_WORDS, column.length);
            column.length = column.values.length;
            index = new FiledIndex(column, filedOf(model.slice(0, size)));
            start = size;
          } else {
            const size = Math.max(start, Math.floor((model.length * one.keep) / 100));
            index.truncate(size);
            column.truncate((size - start) * DIGEST_WORDS);
            model = model.slice(0, size);
          }
        }
        // Ids that are gone are asked for too.
        for (let number = 0; number < 50; number++) {
          for (const wanted of [id(number), alike(number)]) expect(index.find(wanted, 0)).toBe(firstPlace(wanted));
        }
      }),
      { numRuns: 75 },
    );
  });

  it('[ND1] finds an id wherever it lies in the words it is given', () => {
    const column = new IntColumn();
    for (const number of [1, 2, 3]) push(column, id(number));
    const padded = Int32Array.of(5, 5, 5, ...id(2), 5);
    expect([new IdIndex(column).find(padded, 3), new IdIndex(column).find(padded, 2)]).toEqual([1, -1]);
  });

  it('[ND1] finds all of 50,000 ids, and none in an empty column', () => {
    const column = new IntColumn();
    const index = new IdIndex(column);
    expect(index.find(id(1), 0)).toBe(-1);
    for (let number = 0; number < 50_000; number++) push(column, id(number));
    for (let number = 0; number < 50_000; number += 7) expect(index.find(column.values, number * 8)).toBe(number);
    index.truncate(10);
    column.truncate(10 * DIGEST_WORDS);
    expect([9, 10, 49_999].map((number) => index.find(id(number), 0))).toEqual([9, -1, -1]);
  });
});

describe('a column of numbers', () => {
  const edit = fc.oneof(
    fc.record({ push: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) }),
    fc.record({ extendTo: fc.nat(60) }),
    fc.record({ truncate: fc.nat(100) }),
    fc.record({ reserve: fc.nat(40) }),
  );

  it('[PK2] is what an array is: pushed to, made longer with zeros, cut and used again', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 60, size: 'max' }), fc.nat(4), (edits, capacity) => {
        const column = new IntColumn(capacity);
        const model: number[] = [];
        for (const one of edits) {
          if ('push' in one) {
            column.push(one.push);
            model.push(one.push);
          } else if ('extendTo' in one) {
            column.extendTo(one.extendTo);
            while (model.length < one.extendTo) model.push(0);
          } else if ('truncate' in one) {
            model.length = Math.floor((model.length * one.truncate) / 100);
            column.truncate(model.length);
          } else {
            column.reserve(one.reserve);
            expect(column.values.length).toBeGreaterThanOrEqual(model.length + one.reserve);
          }
          expect([...column.values.subarray(0, column.length)]).toEqual(model);
        }
      }),
      { numRuns: 150 },
    );
  });
});
