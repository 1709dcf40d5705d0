import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../codec/bytes/msgpack.js';
import type { Op } from '../codec/nodes/op.js';
import { Graph } from '../graph/graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from '../graph/node.js';
import { type Node, addTo } from '../graph/testing/nodes.js';
import { Registers } from './registers.js';
import { StagedRegisters } from './staged-registers.js';

const set = (key: string, content: unknown): Op => ({ kind: 'set', key, value: encodeValue(content) });

interface Placed {
  readonly node: Node;
  readonly lamport: number;
}
/** Registers look at nothing else of a node. */
const write = (lamport: number, ops: readonly Op[], id = hex(lamport), author = hex(0)): Placed => ({
  lamport,
  node: { id: id as NodeId, author: author as PublicKey, room: NO_ROOM, parents: [], ops },
});
const hex = (number: number): string => number.toString(16).padStart(64, '0');

/** Few of everything, so that ties are common. */
const placed = fc
  .record({
    id: fc.nat(200),
    author: fc.nat(3),
    lamport: fc.integer({ min: 1, max: 5 }),
    ops: fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), value: fc.option(fc.nat(9)) }), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ id, author, lamport, ops }) =>
    write(
      lamport,
      ops.map(({ key, value }) => (value === null ? { kind: 'delete', key } : set(key, value))),
      hex(id),
      hex(author),
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

const KEYS = ['a', 'b', 'c'];
/** Writes that are durable, and those that came after them. */
class Folded {
  readonly graph = new Graph();
  readonly registers = new Registers(this.graph);

  constructor(all: readonly Placed[]) {
    this.settle(all);
  }

  /** Adds writes that can be taken back. Their lamports are what the test says they are. */
  add(all: readonly Placed[]): number[] {
    const fresh = new Map(all.filter(({ node }) => this.graph.find(node.id) < 0).map((one) => [one.node.id, one]));
    addTo(
      this.graph,
      [...fresh.values()].map(({ node }) => node),
    );
    const numbers = all.map(({ node }) => this.graph.find(node.id));
    for (const [i, { lamport }] of all.entries()) this.graph.lamport.set(numbers[i]!, lamport);
    return numbers;
  }

  settle(all: readonly Placed[]): void {
    const numbers = this.add(all);
    this.graph.settle();
    const { table } = this.graph;
    for (const node of numbers)
      for (let op = table.firstOp(node); op < (table.opsEnd.get(node) ?? 0); op++)
        this.registers.apply(node, op, () => undefined);
  }

  get state(): Map<string, unknown> {
    return new Map([...this.registers.live()].map(([key]) => [key, this.registers.get(key)]));
  }

  /** What is read of the writes that can be taken back, laid over the others. */
  get staged(): unknown[] {
    const staged = new StagedRegisters(this.graph, this.registers);
    return KEYS.map((key) => staged.get(key));
  }
}

const shuffled = sets.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all), fc.nat(all.length)),
);

describe('registers', () => {
  it('[MP1] hold what the greatest write says, as a naive reading of the rule has it', () => {
    fc.assert(
      fc.property(sets, (all) => {
        expect(new Folded(all).state).toEqual(naive(all));
      }),
      { numRuns: 250 },
    );
  });

  it('[MP2] depend on the set of nodes alone: any order, any repetition', () => {
    fc.assert(
      fc.property(shuffled, ([all, order, again]) => {
        expect(new Folded([...order, ...again]).state).toEqual(naive(all));
      }),
      { numRuns: 250 },
    );
  });

  it('[MP2] read the same through an overlay, wherever the batch is cut', () => {
    fc.assert(
      fc.property(shuffled, ([all, order, , cut]) => {
        const folded = new Folded(order.slice(0, cut));
        folded.add(order.slice(cut));
        const state = naive(all);
        expect(folded.staged).toEqual(KEYS.map((key) => state.get(key)));
      }),
      { numRuns: 250 },
    );
  });

  it('[ST3] read through one overlay while it grows', () => {
    const folded = new Folded([write(2, [set('a', 'base')])]);
    const staged = new StagedRegisters(folded.graph, folded.registers);
    const read: unknown[] = [staged.get('a')];
    for (const more of [
      write(1, [set('a', 'older'), set('b', 'new')]),
      write(4, [{ kind: 'delete', key: 'a' }]),
      write(3, [set('a', 'late')]),
      write(5, [set('a', 'first'), set('a', 'last')]),
    ]) {
      folded.add([more]);
      read.push(staged.get('a'));
    }
    expect([read, staged.get('b'), staged.get('never')]).toEqual([
      ['base', 'base', undefined, undefined, 'last'],
      ...['new', undefined],
    ]);
  });

  it('[MP2] leave the base alone when the overlay is dropped', () => {
    fc.assert(
      fc.property(sets, sets, (base, more) => {
        const folded = new Folded(base);
        folded.add(more.filter(({ node }) => folded.graph.find(node.id) < 0));
        expect(folded.staged).toHaveLength(KEYS.length);
        expect(folded.state).toEqual(naive(base));
        folded.graph.rewind();
        expect([folded.state, folded.staged]).toEqual([naive(base), KEYS.map((key) => naive(base).get(key))]);
        // What comes instead of them stands where they stood.
        const others = more.slice(1).filter(({ node }) => folded.graph.find(node.id) < 0);
        folded.settle(others);
        expect(folded.state).toEqual(naive([...base, ...others]));
      }),
    );
  });

  it('[MP1] keep a delete as a tombstone: an older set does not come back', () => {
    const { graph, registers } = new Folded([write(2, [{ kind: 'delete', key: 'a' }]), write(1, [set('a', 'old')])]);
    expect([registers.find('a'), registers.get('a')]).toEqual([undefined, undefined]);
    expect([...registers.live()]).toEqual([]);
    expect(graph.lamport.get(registers.nodeOf(graph.table.keys.find('a') ?? -1))).toBe(2);
  });

  it('[MP3] list live keys in the order of their UTF-16 code units, whatever the locale would say', () => {
    // U+1D11E is a pair of surrogates and so comes before U+FF5E, though its code point is greater.
    const keys = ['b', 'a', 'B', 'ä', 'a/b', 'a', '\uff5e', '\u{1d11e}', '_', '\u0000x', 'Z', 'z', '10', '9'];
    const { registers } = new Folded([
      write(
        1,
        keys.map((key) => set(key, 1)),
      ),
    ]);
    const live = [...registers.live()].map(([key]) => key);
    expect(live).toEqual(['10', '9', 'B', 'Z', '_', 'a', 'a/b', 'b', 'z', 'ä', '\u{1d11e}', '\uff5e']);
    expect([...registers.live('a')].map(([key]) => key)).toEqual(['a', 'a/b']);
    expect([...registers.live('\u0000')].map(([key]) => key)).toEqual(['\u0000x']);
    expect([...registers.live('zz')]).toEqual([]);
  });
});
