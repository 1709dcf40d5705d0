import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestHex } from '../sha256/words.js';
import { compareIds, isSameId } from './compared-ids.js';
import { NodeTable, outside } from './node-table.js';

const word = fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31));
const ids = fc.array(fc.array(word, { minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 6 });

/** A table of these ids, some of which are those of nodes and some outside; answers what refers to each. */
function tableOf(all: readonly (readonly number[])[], places: number): { table: NodeTable; refs: number[] } {
  const table = new NodeTable();
  const refs = all.map((id, i) => {
    if (i < places) {
      for (const part of id) table.ids.push(part);
      return i;
    }
    return outside(table.outsideNumber(Int32Array.from(id), 0));
  });
  return { table, refs };
}

const nameIn = (table: NodeTable, ref: number): string => digestHex(table.idWords(ref), table.idAt(ref));

describe('ids that are compared', () => {
  it('are in the order of their names, and alike as these are, whether they stand in the table or outside of it', () => {
    fc.assert(
      fc.property(ids, fc.nat(6), (all, places) => {
        const { table, refs } = tableOf(all, places);
        for (const a of refs)
          for (const b of refs) {
            const [first, second] = [nameIn(table, a), nameIn(table, b)];
            expect(Math.sign(compareIds(table, a, b))).toBe(first < second ? -1 : Number(first > second));
            expect(isSameId(table, a, table, b)).toBe(first === second);
          }
      }),
      { numRuns: 60 },
    );
  });
});
