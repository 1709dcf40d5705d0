import { describe, expect, it } from 'vitest';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { Graph } from '../graph/graph.js';
import type { NodeId, PublicKey } from '../graph/node.js';
import { type Node, addTo } from '../graph/testing/nodes.js';
import { HeldIds } from './held-ids.js';
import { type Dialogue, talk } from './testing/dialogue.js';
import { idsOf, lackedBy } from './testing/rooms.js';

let count = 0;

/** A node with an id that somebody has chosen, as far as one can choose: its first bytes. */
function node(beginning: string): Node {
  const author = (++count).toString(16).padStart(64, '0') as PublicKey;
  // Each of them another: a real id ends as chance will have it.
  const id = beginning + (count * 0x9e3779b1).toString(16).padStart(64 - beginning.length, '5');
  const ops = [{ kind: 'set', key: 'k', value: encodeValue(1) }] as const;
  return { id: id as NodeId, room: 'ab'.repeat(32) as NodeId, author, parents: [], ops };
}

const free = (nodes: number): Node[] =>
  Array.from({ length: nodes }, () =>
    node(((count + 1) * 0x85ebca6b * 7919).toString(16).padStart(16, '0').slice(0, 16)),
  );

function graphOf(nodes: readonly Node[]): Graph {
  const graph = new Graph();
  addTo(graph, nodes);
  graph.settle();
  return graph;
}

function isExact(one: Graph, other: Graph, { sends, answers }: Dialogue): boolean {
  const found = [idsOf(one, sends), idsOf(other, answers)];
  return JSON.stringify(found) === JSON.stringify([lackedBy(one, other), lackedBy(other, one)]);
}

const talkOf = (one: Graph, other: Graph, keyed = false): Dialogue =>
  talk(new HeldIds(one), new HeldIds(other), { keyed });

describe('ids that somebody prepared', () => {
  it('[RC5] two that begin alike on one side are told apart under a key, at once', () => {
    const shared = free(40);
    const one = graphOf([...shared, ...free(5), node('1234567812345678'), node('1234567812345678')]);
    const other = graphOf([...shared, ...free(5)]);
    for (const [asking, asked] of [
      [one, other],
      [other, one],
    ] as const) {
      const found = talkOf(asking, asked);
      expect(found.steps.filter((step) => step === 'walk')).toEqual([]);
      expect(isExact(asking, asked, found)).toBe(true);
    }
  });

  it('[RC5] one on each side is found by the attempt that follows', () => {
    const shared = free(40);
    const one = graphOf([...shared, ...free(5), node('8765432187654321')]);
    const other = graphOf([...shared, ...free(5), node('8765432187654321')]);
    const first = talkOf(one, other);
    expect(isExact(one, other, first)).toBe(false);
    expect(first.sends).toHaveLength(5);
    const second = talkOf(one, other, true);
    expect(isExact(one, other, second)).toBe(true);
    expect(second.steps).not.toContain('walk');
  });

  it('[RC5] many that go to the same cells cost one key, not the tree [fault 24]', () => {
    // They share all places among the first 200 symbols but the first: only a key can part them.
    const alike = Array.from({ length: 60 }, (_, n) =>
      node(`0000000000000000`.slice(0, 8) + n.toString(16).padStart(8, '0')),
    );
    const shared = free(100);
    const one = graphOf([...shared, ...alike]);
    const other = graphOf([...shared, ...free(60)]);
    const found = talkOf(one, other);
    expect(found.steps).not.toContain('walk');
    expect(isExact(one, other, found)).toBe(true);
  });
});
