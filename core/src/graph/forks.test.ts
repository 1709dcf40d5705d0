import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { type Fork, forkOf, forksOf } from './forks.js';
import { Graph } from './graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { type Node, addTo, ancestorsOf, graphOf, identify } from './testing/nodes.js';

const ROOM = 'ab'.repeat(32) as NodeId;
const key = (fill: number): PublicKey => fill.toString(16).padStart(2, '0').repeat(32) as PublicKey;

let count = 0;
function make(author: number, prev?: Node, parents: readonly Node[] = [], room = ROOM): Node {
  const ids = parents.map((parent) => parent.id).sort();
  const ops = [{ kind: 'set', key: 'k', value: encodeValue(count++) }] as const;
  return identify({ room, author: key(author), ...(prev ? { prev: prev.id } : {}), parents: ids, ops });
}

function settledGraph(nodes: readonly Node[]): Graph {
  const graph = graphOf(nodes);
  graph.settle();
  return graph;
}
const found = (nodes: readonly Node[]): Fork[] => forksOf(settledGraph(nodes));

/** What the rule says, by looking at all pairs. */
function expected(nodes: readonly Node[]): Fork[] {
  const siblings = new Map<string, Node[]>();
  for (const one of nodes) {
    const place = `${one.room} ${one.author} ${one.prev ?? ''}`;
    siblings.set(place, [...(siblings.get(place) ?? []), one]);
  }
  const forks = [...siblings.values()].flatMap((group) => {
    const [first, ...others] = group.map(({ id }) => id).sort();
    return others.map((other) => forkOf(group[0]!.author, group[0]!.prev, first!, other));
  });
  const name = ({ author, prev, nodes: [a, b] }: Fork): string => [author, prev ?? '', a, b].join(' ');
  return forks.sort((a, b) => (name(a) < name(b) ? -1 : 1));
}

describe('forks of a graph', () => {
  it('[FK1] there are none where authors write one node after the other', () => {
    const first = make(1);
    const other = make(2, undefined, [first]);
    const second = make(1, first, [other]);
    expect(found([first, other, second, make(2, other), make(1, second), make(3, undefined, [second])])).toEqual([]);
    expect(forksOf(new Graph())).toEqual([]);
  });

  it('[FK1] two nodes on one are one, the same in both orders', () => {
    const first = make(1);
    const [left, right] = [make(1, first), make(1, first)];
    const nodes = [left.id, right.id].sort();
    for (const order of [
      [first, left, right],
      [first, right, left],
      [first, left, make(1, left), right],
    ])
      expect(found(order)).toEqual([{ author: key(1), prev: first.id, nodes }]);
  });

  it('[FK1] two first nodes of an author are one, and say that they stand on nothing', () => {
    const [left, right] = [make(1), make(1)];
    const forks = found([left, right, make(2)]);
    expect(forks).toEqual([{ author: key(1), nodes: [left.id, right.id].sort() }]);
    expect(Object.keys(forks[0]!)).not.toContain('prev');
  });

  it('[FK1] of more siblings, each further one stands beside the smallest', () => {
    const first = make(1);
    const siblings = [first, first, first, undefined, undefined].map((prev) => make(1, prev));
    const [a, b, c] = siblings
      .slice(0, 3)
      .map(({ id }) => id)
      .sort();
    const [smallest, ...roots] = [first, ...siblings.slice(3)].map(({ id }) => id).sort();
    for (const order of [siblings, siblings.toReversed()])
      expect(found([first, ...order])).toEqual([
        ...roots.map((root) => ({ author: key(1), nodes: [smallest, root] })),
        { author: key(1), prev: first.id, nodes: [a, b] },
        { author: key(1), prev: first.id, nodes: [a, c] },
      ]);
  });

  it('[FK1] a branch forks again', () => {
    const first = make(1);
    const [left, right] = [make(1, first), make(1, first)];
    const [one, two] = [make(1, right), make(1, right)];
    const [three, four] = [make(1, two), make(1, two)];
    const nodes = [first, left, right, one, two, three, four];
    expect(found(nodes)).toEqual(expected(nodes));
    expect(found(nodes)).toHaveLength(3);
  });

  it('[FK1] lists by author, then by what it stands on, then by ids', () => {
    const firsts = [3, 1, 2].flatMap((author) => [make(author), make(author), make(author)]);
    const seconds = firsts.flatMap((node) =>
      [1, 2].map(() => make(Number.parseInt(node.author.slice(0, 2), 16), node)),
    );
    expect(found([...firsts, ...seconds])).toEqual(expected([...firsts, ...seconds]));
    expect(found([...firsts, ...seconds])).toHaveLength(15);
  });

  it('[FK1] lists first of an author’s what stands on nothing, wherever in the log it begins', () => {
    const first = make(1);
    const [left, right] = [make(1, first), make(1, first)];
    const other = make(1);
    const late = forkOf(key(1), first.id, left.id, right.id);
    const roots = forkOf(key(1), undefined, first.id, other.id);
    for (const order of [
      [first, left, right, other],
      [other, first, right, left],
    ])
      expect(found(order)).toEqual([roots, late]);
  });

  it('[FK1] nodes of two authors or of two rooms make none', () => {
    const first = make(1);
    expect(
      found([first, make(2), make(3, undefined, [first]), make(1, undefined, [], 'cd'.repeat(32) as NodeId)]),
    ).toEqual([]);
  });

  it('[FK1] a genesis of a room and one of another make none, and stand in nobody’s way', () => {
    const [one, other] = [make(1, undefined, [], NO_ROOM), make(1, undefined, [], NO_ROOM)];
    const first = make(1);
    const nodes = [one, other, first, make(1, first), make(1, first)];
    expect(found(nodes)).toMatchObject([{ author: key(1), prev: first.id }]);
  });

  it('[FK1] what may still be taken back does not count', () => {
    const first = make(1);
    const [left, right] = [make(1, first), make(1, first)];
    for (const [early, late] of [
      [[first, left], [right]],
      [[first], [left, right]],
      [[], [first, make(1)]],
    ] as const) {
      const graph = settledGraph(early);
      addTo(graph, late);
      expect(forksOf(graph)).toEqual([]);
      graph.rewind();
      expect(forksOf(graph)).toEqual([]);
      addTo(graph, late);
      graph.settle();
      expect(forksOf(graph)).toHaveLength(1);
    }
  });

  it('[FK1] equal sets of nodes give equal lists, in whatever order they come', () => {
    const plan = fc.record({
      author: fc.nat(2),
      prev: fc.option(fc.nat(5), { freq: 6 }),
      parents: fc.array(fc.nat(9)),
    });
    const shuffled = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });
    let forks = 0;
    fc.assert(
      fc.property(fc.array(plan, { minLength: 2, maxLength: 16, size: 'max' }), shuffled, (plans, picks) => {
        const nodes: Node[] = [];
        for (const { author, prev, parents } of plans) {
          const own = nodes.filter((node) => node.author === key(author));
          const before = prev === null ? undefined : own[own.length - 1 - (prev % (own.length || 1))];
          const others = parents.flatMap((parent) => nodes[parent] ?? []).filter((node) => node !== before);
          nodes.push(make(author, before, [...new Set(others)].slice(0, 2)));
        }
        const held = new Set<string>();
        const order: Node[] = [];
        for (const pick of picks) {
          const free = nodes.filter((node) => !held.has(node.id) && ancestorsOf(node).every((id) => held.has(id)));
          const next = free[pick % (free.length || 1)];
          if (!next) break;
          held.add(next.id);
          order.push(next);
        }
        expect(order).toHaveLength(nodes.length);
        forks += expected(nodes).length;
        expect(found(order)).toEqual(expected(nodes));
        expect(found(nodes)).toEqual(expected(nodes));
      }),
      { numRuns: 300 },
    );
    expect(forks).toBeGreaterThan(300);
  });
});
