/** The engine against the reference model on nodes that no replica would write. */
import { type PackedNode, decodePack, toHex } from '@weft/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn, plans } from './any-nodes.js';
import { meant, seen } from './observed.js';
import { join, keysOf, openRoom, packSealed, reasons } from './support.js';

const AUTHORS = [1, 2, 3].map(keysOf);
const keysBehind = ({ author }: PackedNode) => AUTHORS.find((keys) => keys.publicKey === toHex(author)) ?? keysOf(1);
const sealedEach = (nodes: readonly PackedNode[]): Promise<Uint8Array> =>
  packSealed(
    nodes,
    nodes.map((node, index) => [index, keysBehind(node)]),
  );

/** Another order in which each node follows its ancestors: of those that may come next, the last one. */
function latestFirst(nodes: readonly PackedNode[]): PackedNode[] {
  const order: PackedNode[] = [];
  const waiting = new Map(nodes.map((node) => [toHex(node.id), node]));
  const waits = (id: Uint8Array): boolean => waiting.has(toHex(id));
  while (waiting.size > 0) {
    const next = [...waiting.values()].findLast(({ prev, parents }) => !(prev && waits(prev)) && !parents.some(waits));
    if (!next) throw new Error('nodes stand on each other in a circle');
    waiting.delete(toHex(next.id));
    order.push(next);
  }
  return order;
}

describe('any nodes', () => {
  it('[SQ3] resolve to what the model says, whatever elements their ops name, in either order', async () => {
    const room = await openRoom();
    const [genesis] = decodePack(room.genesis.pack).nodes as [PackedNode];
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const nodes = drawn(plan, genesis.id);
        const expected = meant([genesis, ...nodes]);
        const hashes = new Set<string>();
        for (const order of [nodes, latestFirst(nodes)]) {
          const replica = await join(room, 9);
          expect(reasons(await replica.receive(await sealedEach(order)))).toEqual([]);
          expect(seen(replica)).toEqual(expected);
          hashes.add(replica.stateHash);
        }
        expect(hashes.size).toBe(1);
      }),
      { numRuns: 15 },
    );
  });
});
