import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../codec/msgpack.js';
import type { Op } from '../codec/op.js';
import type { Placed } from '../graph/dag.js';
import { type NodeId, type PublicKey, NO_ROOM } from '../graph/node.js';
import { Registers, readRegister } from './registers.js';

const set = (key: string, content: unknown): Op => ({ kind: 'set', key, value: encodeValue(content) });

/** Registers look at nothing else of a node. */
const write = (lamport: number, ops: readonly Op[], id = String(lamport), author = ''): Placed => ({
  ...{ lamport, chain: 0, index: 0, counter: 0, elements: 0 },
  node: { id: id as NodeId, author: author as PublicKey, room: NO_ROOM, parents: [], ops },
});

/** Few of everything, so that ties are common. */
const placed = fc
  .record({
    id: fc.nat(200),
    author: fc.nat(3),
    lamport: fc.integer({ min: 1, max: 5 }),
    ops: fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), value: fc.option(fc.nat(9)) }), { maxLength: 4 }),
  })
  .map(({ id, author, lamport, ops }) =>
    write(
      lamport,
      ops.map(({ key, value }) => (value === null ? { kind: 'delete', key } : set(key, value))),
      id.toString(16).padStart(64, '0'),
      author.toString(16).padStart(64, '0'),
    ),
  );
const sets = fc.uniqueArray(placed, { maxLength: 12, selector: ({ node }) => node.id });

/** The rule read aloud: of all writes to a key, sort by (lamport, author, id, index) and take the last. */
function naive(all: readonly Placed[]): Map<string, unknown> {
  const state = new Map<string, unknown>();
  for (const key of ['a', 'b', 'c']) {
    const writes = all.flatMap(({ node, lamport }) =>
      node.ops.flatMap((op, index) =>
        op.key === key ? [{ op, rank: [lamport, node.author, node.id, index] as const }] : [],
      ),
    );
    writes.sort((x, y) => {
      const at = x.rank.findIndex((part, i) => part !== y.rank[i]);
      return at < 0 ? 0 : (x.rank[at] ?? 0) < (y.rank[at] ?? 0) ? -1 : 1;
    });
    const op = writes.at(-1)?.op;
    if (op?.kind === 'set') state.set(key, decodeValue(op.value));
  }
  return state;
}

const stateOf = (registers: Registers): Map<string, unknown> =>
  new Map([...registers.live()].map(([key]) => [key, readRegister(registers, key)]));
const folded = (all: readonly Placed[], base?: Registers): Registers => {
  const registers = new Registers(base);
  for (const one of all) registers.apply(one);
  return registers;
};

const shuffled = sets.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all), fc.nat(all.length)),
);

describe('registers', () => {
  it('[MP1] hold what the greatest write says, as a naive reading of the rule has it', () => {
    fc.assert(
      fc.property(sets, (all) => {
        expect(stateOf(folded(all))).toEqual(naive(all));
      }),
      { numRuns: 500 },
    );
  });

  it('[MP2] depend on the set of nodes alone: any order, any repetition', () => {
    fc.assert(
      fc.property(shuffled, ([all, order, again]) => {
        expect(stateOf(folded([...order, ...again]))).toEqual(naive(all));
      }),
      { numRuns: 500 },
    );
  });

  it('[MP2] read the same through an overlay, wherever the batch is cut', () => {
    fc.assert(
      fc.property(shuffled, ([all, order, , cut]) => {
        const overlay = folded(order.slice(cut), folded(order.slice(0, cut)));
        const state = naive(all);
        for (const key of ['a', 'b', 'c']) expect(readRegister(overlay, key)).toEqual(state.get(key));
      }),
      { numRuns: 500 },
    );
  });

  it('[MP2] leave the base alone when the overlay is dropped', () => {
    fc.assert(
      fc.property(sets, sets, (base, more) => {
        const held = folded(base);
        folded(more, held);
        expect(stateOf(held)).toEqual(naive(base));
      }),
    );
  });

  it('[MP1] keep a delete as a tombstone: an older set does not come back', () => {
    const registers = folded([write(2, [{ kind: 'delete', key: 'a' }]), write(1, [set('a', 'old')])]);
    expect(readRegister(registers, 'a')).toBeUndefined();
    expect([...registers.live()]).toEqual([]);
    expect(registers.find('a')?.lamport).toBe(2);
  });

  it('[MP3] list live keys in the order of their UTF-16 code units, whatever the locale would say', () => {
    // U+1D11E is a pair of surrogates and so comes before U+FF5E, though its code point is greater.
    const keys = ['b', 'a', 'B', 'ä', 'a/b', 'a', '\uff5e', '\u{1d11e}', '_', '\u0000x', 'Z', 'z', '10', '9'];
    const registers = folded([
      write(
        1,
        keys.map((key) => set(key, 1)),
      ),
    ]);
    const live = [...registers.live()].map(([key]) => key);
    expect(live).toEqual(['\u0000x', '10', '9', 'B', 'Z', '_', 'a', 'a/b', 'b', 'z', 'ä', '\u{1d11e}', '\uff5e']);
    expect([...registers.live('a')].map(([key]) => key)).toEqual(['a', 'a/b']);
    expect([...registers.live('zz')]).toEqual([]);
  });
});
