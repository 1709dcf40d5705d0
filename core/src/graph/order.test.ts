import { describe, expect, it } from 'vitest';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { compareNodes } from './order.js';
import { type Node, graphOf } from './testing/nodes.js';

const nameOf = (letter: string): NodeId => letter.repeat(64) as NodeId;
const keyOf = (letter: string): PublicKey => letter.repeat(64) as PublicKey;
const node = (id: string, author: string, on: readonly string[] = [], room = NO_ROOM): Node => ({
  id: nameOf(id),
  room,
  author: keyOf(author),
  parents: on.map(nameOf).sort(),
  ops: [{ kind: 'delete', key: 'k' }],
});

describe('the canonical order of nodes', () => {
  const nodes = [
    node('9', 'c'),
    node('8', 'c'),
    node('7', 'd'),
    node('1', 'a', ['9']),
    node('6', 'b', ['8']),
    node('3', 'c', [], nameOf('2')),
    node('2', 'b', ['9']),
  ];

  it('is by how much they stand on, then by author, then by id, wherever they stand in the log', () => {
    // One author in two rooms is two identities.
    const expected = ['3', '8', '9', '7', '1', '2', '6'];
    for (const order of [
      nodes,
      nodes.toSorted((a, b) => a.parents.length - b.parents.length || (a.id < b.id ? -1 : 1)),
    ]) {
      const graph = graphOf(order);
      const sorted = Array.from({ length: graph.size }, (_, number) => number).sort((a, b) =>
        compareNodes(graph, a, b),
      );
      expect(sorted.map((number) => graph.idOf(number)[0])).toEqual(expected);
      for (const a of sorted)
        for (const b of sorted)
          expect(Math.sign(compareNodes(graph, a, b))).toBe(Math.sign(sorted.indexOf(a) - sorted.indexOf(b)));
    }
  });
});
