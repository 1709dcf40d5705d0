import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CausalPast } from './causal-past.js';
import { Graph } from './graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { type Node, addTo, ancestorsOf } from './testing/nodes.js';

/** Not from 0 on: an id of zeros stands for none. */
const nameOf = (number: number): NodeId => (number + 1).toString(16).padStart(64, '0') as NodeId;
const keyOf = (author: number): PublicKey => author.toString(16).padStart(64, 'a') as PublicKey;

const ops = [{ kind: 'delete', key: 'k' }] as const;

/** One node as a plan; numbers pick among the nodes before it. Ids are counted: a graph never looks inside one. */
const step = fc.record({
  author: fc.nat(3),
  /** Mostly the author's newest node; else any of the author's, which forks the chain, or none, which begins another. */
  prev: fc.oneof(
    { weight: 6, arbitrary: fc.constant('newest') },
    { weight: 2, arbitrary: fc.nat() },
    fc.constant(undefined),
  ),
  parents: fc.oneof({ weight: 2, arbitrary: fc.constant<number[]>([]) }, fc.array(fc.nat(), { maxLength: 3 })),
});
const graphs = fc.array(step, { maxLength: 60, size: 'max' }).map((steps) => {
  const nodes: Node[] = [];
  for (const { author, prev, parents } of steps) {
    const own = nodes.filter((node) => node.author === keyOf(author));
    const before = prev === undefined || prev === 'newest' ? prev && own.at(-1) : own[Number(prev) % own.length];
    const ids = new Set(parents.flatMap((parent) => nodes[parent % nodes.length]?.id ?? []));
    if (before) ids.delete(before.id);
    const links = { ...(before ? { prev: before.id } : {}), parents: [...ids].sort() };
    nodes.push({ id: nameOf(nodes.length), room: NO_ROOM, author: keyOf(author), ...links, ops });
  }
  return nodes;
});

/** By walking, node by node. */
function naivePasts(nodes: readonly Node[]): Map<NodeId, ReadonlySet<NodeId>> {
  const pasts = new Map<NodeId, ReadonlySet<NodeId>>();
  for (const node of nodes) {
    const known = ancestorsOf(node).flatMap((id) => [...(pasts.get(id) ?? [])]);
    pasts.set(node.id, new Set([node.id, ...known]));
  }
  return pasts;
}

/** Everything that can be asked of these nodes, against the walk. */
function mustAgree(past: CausalPast, nodes: readonly Node[], pasts: ReadonlyMap<NodeId, ReadonlySet<NodeId>>): void {
  for (const [number, { id }] of nodes.entries()) {
    const found = nodes.filter((_, other) => past.includes(number, other)).map((node) => node.id);
    expect(found).toEqual(nodes.map((node) => node.id).filter((other) => pasts.get(id)?.has(other)));
  }
}

describe('the causal past', () => {
  it('[SQ3] is what walking to all ancestors finds, in any graph with forks, also when it begins anew', () => {
    fc.assert(
      fc.property(graphs, graphs, (others, nodes) => {
        const graph = new Graph();
        const past = new CausalPast(graph);
        for (const number of addTo(graph, others)) past.add(number);
        mustAgree(past, others, naivePasts(others));
        graph.empty();
        past.clear();
        for (const number of addTo(graph, nodes)) past.add(number);
        mustAgree(past, nodes, naivePasts(nodes));
      }),
      { numRuns: 75 },
    );
  });

  it('[SQ3] answers the same when it is asked while the graph grows', () => {
    fc.assert(
      fc.property(
        graphs,
        fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 200, maxLength: 200 }),
        (nodes, asked) => {
          const graph = new Graph();
          const past = new CausalPast(graph);
          const pasts = naivePasts(nodes);
          for (const [index, node] of nodes.entries()) {
            for (const number of addTo(graph, [node])) past.add(number);
            for (const [a, b] of asked.slice(index * 3, index * 3 + 3)) {
              const [one, other] = [a % graph.size, b % graph.size];
              expect(past.includes(one, other)).toBe(pasts.get(nameOf(one))?.has(nameOf(other)));
            }
          }
          mustAgree(past, nodes, pasts);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('[SQ3] has the other branch of a fork only where somebody joins them', () => {
    const links = (author: number, prev: number | undefined, ...parents: number[]) => ({ author, prev, parents });
    // 0 - 1 - 2 by one author; 3 and 4 fork from 0; 5 joins 2 and 4; 6 goes on from 3 with 5 as parent.
    const shape = [
      links(0, undefined),
      links(0, 0),
      links(0, 1),
      links(0, 0),
      links(0, 3),
      links(1, undefined, 2, 4),
      links(0, 3, 5),
    ];
    const nodes = shape.map(({ author, prev, parents }, number): Node => ({
      id: nameOf(number),
      room: NO_ROOM,
      author: keyOf(author),
      ops,
      parents: parents.map(nameOf),
      ...(prev === undefined ? {} : { prev: nameOf(prev) }),
    }));
    const graph = new Graph();
    const past = new CausalPast(graph);
    const numbers = addTo(graph, nodes);
    for (const number of numbers) past.add(number);
    const known = numbers.map((one) => numbers.filter((other) => past.includes(one, other)));
    expect(known).toEqual([[0], [0, 1], [0, 1, 2], [0, 3], [0, 3, 4], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 6]]);
  });
});
