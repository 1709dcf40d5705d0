import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { listOf } from '../codec/nodes/places.js';
import { SIGNATURE_BYTES, isMessage, openPack } from '../codec/packs/pack.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { SealColumn, copyNodes, lastSeals, packHistory, packNodes } from './seals.js';
import { type Node, graphOf, identify, nodesOf } from './testing/nodes.js';

const signature = fc.uint8Array({ minLength: SIGNATURE_BYTES, maxLength: SIGNATURE_BYTES });

describe('the seals of a room', () => {
  it('are those that were added, by node, in whatever order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.nat(500), signature), { selector: ([node]) => node }), (added) => {
        const [seals, expected] = [new SealColumn(), new Map(added)];
        for (const [node, bytes] of added) seals.add(node, bytes);
        const nodes = Array.from({ length: 511 }, (_none, at) => at - 1);
        expect(nodes.map((node) => [seals.has(node), seals.get(node)])).toEqual(
          nodes.map((node) => [expected.has(node), expected.get(node)]),
        );
        expect([seals.size, [...seals.keys()]]).toEqual([expected.size, [...expected.keys()].sort((a, b) => a - b)]);
      }),
    );
  });

  it('hold nothing of the packs that brought them', () => {
    const seals = new SealColumn();
    const pack = new Uint8Array(1 << 20).fill(7);
    seals.add(3, pack.subarray(100, 100 + SIGNATURE_BYTES));
    expect(seals.get(3)?.buffer.byteLength).toBe(SIGNATURE_BYTES);
    pack.fill(8);
    expect(seals.get(3)).toEqual(new Uint8Array(SIGNATURE_BYTES).fill(7));
  });
});

describe('nodes with their seals', () => {
  const make = (author: number, prev?: NodeId, bytes = 1): Node =>
    identify({
      room: NO_ROOM,
      author: author.toString().repeat(64) as PublicKey,
      ...(prev ? { prev } : {}),
      parents: [],
      ops: [{ kind: 'set', key: 'k', value: encodeValue('x'.repeat(bytes)) }],
    });
  const one = make(1);
  const [two, other, great] = [make(1, one.id), make(2), make(3, undefined, 600)];
  const three = make(1, two.id);
  const all = [one, two, other, great, three];
  const graph = graphOf(all);
  const sealOf = (node: number): Uint8Array => new Uint8Array(SIGNATURE_BYTES).fill(node + 1);
  const seals = new Map([0, 1, 2].map((node) => [node, sealOf(node)]));

  /** What a pack holds: its nodes, and the seals by their places. */
  const opened = (pack: Uint8Array) => {
    const { table, seals: found } = openPack(pack);
    return { nodes: nodesOf(table), seals: found.map(({ index, signature }) => [index, signature]) };
  };

  it('are packed with those that they have, by their places in the pack', () => {
    expect(opened(packNodes(graph, listOf([0, 1, 2, 3, 4]), seals))).toEqual({
      nodes: all,
      seals: [0, 1, 2].map((node) => [node, sealOf(node)]),
    });
    expect(opened(packNodes(graph, listOf([3, 2]), seals))).toEqual({ nodes: [great, other], seals: [[1, sealOf(2)]] });
    expect(opened(packNodes(graph, listOf([2, 3]), new Map()))).toEqual({ nodes: [other, great], seals: [] });
  });

  it('are one row where it is a single short one', () => {
    const packs = [[2], [3], [0, 2]].map((places) => packNodes(graph, listOf(places), seals));
    expect(packs.map(isMessage)).toEqual([true, false, false]);
    expect(packs.map(opened)).toEqual([
      { nodes: [other], seals: [[0, sealOf(2)]] },
      { nodes: [great], seals: [] },
      {
        nodes: [one, other],
        seals: [
          [0, sealOf(0)],
          [1, sealOf(2)],
        ],
      },
    ]);
  });

  it('are history with the last seal of each chain, also where a later node of it has none', () => {
    const places = listOf([0, 1, 2, 3, 4]);
    expect([...lastSeals(graph, places, seals)]).toEqual([
      [1, sealOf(1)],
      [2, sealOf(2)],
    ]);
    expect(opened(packHistory(graph, places, seals))).toEqual({
      nodes: all,
      seals: [
        [1, sealOf(1)],
        [2, sealOf(2)],
      ],
    });
  });

  it('are copied into a table of their own', () => {
    const { table, seals: copied } = copyNodes(graph, listOf([1, 3, 4]), seals);
    expect(nodesOf(table)).toEqual([two, great, three]);
    expect(copied).toEqual([{ index: 0, signature: sealOf(1) }]);
    expect(table).not.toBe(graph.table);
  });
});
