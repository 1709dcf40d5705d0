import { describe, expect, it } from 'vitest';
import { encodeValue } from '../codec/msgpack.js';
import type { Op } from '../codec/op.js';
import { Dag, withAncestors } from './dag.js';
import {
  type Node,
  type NodeId,
  type PublicKey,
  NO_ROOM,
  ancestorsOf,
  identify,
  packNode,
  unpackNode,
} from './node.js';

const key = (fill: number): PublicKey => fill.toString(16).padStart(2, '0').repeat(32) as PublicKey;

let count = 0;
function make(author: number, prev?: Node, parents: readonly Node[] = []): Node {
  const ids = parents.map((parent) => parent.id).sort();
  const ops: Op[] = [{ kind: 'set', key: 'k', value: encodeValue(count++) }];
  return identify({ room: NO_ROOM, author: key(author), ...(prev ? { prev: prev.id } : {}), parents: ids, ops });
}

/** Two chains that part, meet and part again. */
const first = make(1);
const left = make(1, first);
const right = make(2, undefined, [first]);
const join = make(2, right, [left]);
const late = make(3, undefined, [first]);
const all = [first, left, right, join, late];

const filled = (nodes: readonly Node[], base?: Dag): Dag => {
  const dag = new Dag(base);
  for (const node of nodes) dag.add(node);
  return dag;
};
const lamports = (dag: Dag): (number | undefined)[] => all.map(({ id }) => dag.find(id)?.lamport);

/** All orders in which each node follows its ancestors. */
function* orders(left: readonly Node[], done: readonly Node[] = []): Generator<readonly Node[]> {
  if (left.length === 0) yield done;
  const held = new Set(done.map(({ id }) => id));
  for (const node of left) {
    if (!ancestorsOf(node).every((id) => held.has(id))) continue;
    yield* orders(
      left.filter((other) => other !== node),
      [...done, node],
    );
  }
}

describe('the graph', () => {
  it('[ND3] derives lamport from prev and parents: 1 without either', () => {
    expect(lamports(filled(all))).toEqual([1, 2, 2, 3, 2]);
  });

  it('[ND3] gives a node the same lamport in every order, whole or laid over a base', () => {
    let seen = 0;
    for (const order of orders(all)) {
      seen++;
      expect(lamports(filled(order))).toEqual([1, 2, 2, 3, 2]);
      for (let cut = 0; cut <= order.length; cut++) {
        expect(lamports(filled(order.slice(cut), filled(order.slice(0, cut))))).toEqual([1, 2, 2, 3, 2]);
      }
    }
    expect(seen).toBe(8);
  });

  it('[HS4] has as heads the nodes without successors, whole or laid over a base', () => {
    for (const order of orders(all)) {
      for (let cut = 0; cut <= order.length; cut++) {
        const held = order.slice(0, cut);
        const heads = held
          .filter((node) => !held.some((other) => ancestorsOf(other).includes(node.id)))
          .map(({ id }) => id);
        expect([...filled(held).heads].sort()).toEqual(heads.sort());
        const overlay = filled(order.slice(cut), filled(held));
        expect([...overlay.heads].sort()).toEqual([join.id, late.id].sort());
        expect(overlay.size).toBe(order.length - cut);
      }
    }
  });

  it('[SL1] knows the newest node of each chain, and a fork makes the later one the newest', () => {
    const dag = filled(all);
    expect(dag.tip(key(1))).toBe(left.id);
    expect(dag.tip(key(9))).toBeUndefined();
    const overlay = filled([make(1, first)], dag);
    expect(overlay.tip(key(1))).not.toBe(left.id);
    expect(dag.tip(key(1))).toBe(left.id);
  });

  it('[ST1] keeps the order in which nodes came', () => {
    const nodes = (from?: number, to?: number): Node[] =>
      filled(all)
        .slice(from, to)
        .map(({ node }) => node);
    expect(nodes()).toEqual(all);
    expect(nodes(1, 3)).toEqual([left, right]);
    expect(filled(all).slice(9)).toEqual([]);
  });

  it('[HS5] follows ancestors of what it holds and passes over what it does not', () => {
    const dag = filled(all);
    expect(withAncestors(dag, [join.id])).toEqual(new Set([first, left, right, join].map(({ id }) => id)));
    expect(withAncestors(dag, ['f'.repeat(64) as NodeId])).toEqual(new Set());
    expect(withAncestors(dag, [late.id, late.id])).toEqual(new Set([first.id, late.id]));
  });

  it('[HS5] follows a chain of 100,000 without recursion', () => {
    let tip = first;
    const nodes = [first];
    for (let i = 0; i < 100_000; i++) {
      // The graph never looks inside an id, so these need not be hashes.
      tip = { ...first, id: i.toString(16).padStart(64, '0') as NodeId, prev: tip.id };
      nodes.push(tip);
    }
    expect(withAncestors(filled(nodes), [tip.id]).size).toBe(nodes.length);
  });

  it('[ND7] counts elements along prev links, alike on both branches of a fork and whichever came first', () => {
    const typed = (author: number, text: string, prev?: Node, parents: readonly Node[] = []): Node => {
      const ops: Op[] = [
        { kind: 'text-insert', key: 't', anchor: { ref: null, side: 'right' }, text },
        { kind: 'text-delete', key: 't', last: 0, count: 1 },
        {
          kind: 'list-insert',
          key: 'l',
          anchor: { ref: null, side: 'right' },
          values: [encodeValue(1), encodeValue(2)],
        },
        { kind: 'list-move', key: 'l', item: 1, anchor: { ref: null, side: 'right' } },
      ];
      const ids = parents.map((parent) => parent.id).sort();
      return identify({ room: NO_ROOM, author: key(author), ...(prev ? { prev: prev.id } : {}), parents: ids, ops });
    };
    const base = typed(1, 'four');
    const [here, there] = [typed(1, 'a', base), typed(1, '\u{1d11e}\u{1d11e}', base)];
    const [after, other] = [typed(1, 'b', there), typed(2, 'c', undefined, [here, there])];
    for (const order of orders([base, here, there, after, other])) {
      for (let cut = 0; cut <= order.length; cut++) {
        const dag = filled(order.slice(cut), filled(order.slice(0, cut)));
        const counters = [base, here, there, after, other].map(({ id }) => dag.find(id)?.counter);
        expect(counters).toEqual([0, 7, 7, 14, 0]);
        expect(dag.next(after.id).counter).toBe(18);
        const placed = [base, here, there, after, other].map(({ id }) => dag.find(id));
        expect(new Set(placed.map((one) => `${one?.chain} ${one?.index}`)).size).toBe(5);
        expect(dag.chains).toBe(3);
        expect(placed.map((one) => one?.elements)).toEqual([7, 4, 7, 4, 4]);
      }
    }
  });

  it('[ND1] turns a node into its wire form and back', () => {
    for (const node of all) expect(unpackNode(packNode(node, 7))).toEqual(node);
  });
});
