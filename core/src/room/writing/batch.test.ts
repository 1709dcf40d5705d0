import { Speakers } from '../state/speakers.js';
import { describe, expect, it } from 'vitest';
import type { Op } from '../../codec/nodes/op.js';
import { PACK_BOUNDS } from '../../codec/packs/pack.js';
import { encodeNode } from '../../codec/testing/nodes.js';
import { Registers } from '../../crdt/registers.js';
import { type NodeId, type PublicKey, NO_ROOM } from '../../graph/node.js';
import { type Node, graphOf, packNode, tableOf } from '../../graph/testing/nodes.js';
import { Judgement } from '../admission/judgement.js';
import { permittingBy } from '../admission/permissions.js';
import { Laws } from '../state/laws.js';
import { BATCH_WEIGHT, Batch } from './batch.js';

/** Ids differ at their front, as hashes do. */
const nameOf = (number: number): NodeId => (number + 1).toString(16).padStart(8, '0').padEnd(64, '0') as NodeId;
const remove = (key: string): Op => ({ kind: 'delete', key });
const base = { room: NO_ROOM, author: 'a'.repeat(64) as PublicKey, parents: [], ops: [remove('k')] };
const rules = {
  genesis: NO_ROOM,
  runNodes: Number.POSITIVE_INFINITY,
  takesHeaders: true,
  isServer: true,
};
/** What is durable: nodes to stand on. */
const held = Array.from({ length: 256 }, (_, i): Node => ({ ...base, id: nameOf(2 ** 30 + i) }));

/** A batch that has taken one node of a shape after the other, up to so many or until it has no room. */
function taken(count: number, shape: Partial<Node>): { readonly batch: Batch; readonly nodes: number } {
  const graph = graphOf(held);
  graph.settle();
  const batch = new Batch(graph, new Registers(graph));
  const speakers = new Speakers(graph, new Set());
  let nodes = 0;
  while (nodes < count && batch.hasRoomFor(0)) {
    const table = tableOf([{ ...base, ...shape, id: nameOf(nodes++) }]);
    const seals = [{ index: 0, signature: new Uint8Array(64), valid: true }];
    batch.take(
      new Judgement({ table, size: 1, seals }, graph, {
        ...rules,
        speakers,
        permitting: permittingBy(new Laws(graph, speakers)),
      }),
      { from: 'peer' },
      new Uint8Array(),
    );
    expect(batch.nodes.length).toBe(nodes);
  }
  return { batch, nodes };
}

describe('a batch', () => {
  it('[ST4] has room for anything while it is empty, and for more while it is light', () => {
    expect(taken(0, {}).batch.hasRoomFor(Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(taken(1024, {}).batch.hasRoomFor(1024)).toBe(true);
    expect(taken(1, {}).batch.hasRoomFor(BATCH_WEIGHT)).toBe(false);
  });

  it.each<[string, Partial<Node>]>([
    ['large values', { ops: [{ kind: 'set', key: 'k', value: new Uint8Array(1_000_000) }] }],
    ['long keys', { ops: Array.from({ length: 250 }, () => remove('k'.repeat(4096))) }],
    ['long keys of wide characters', { ops: Array.from({ length: 250 }, () => remove('\u20ac'.repeat(1365))) }],
    ['many parents', { parents: held.map(({ id }) => id) }],
    ['many ops', { ops: Array.from({ length: 4000 }, () => remove('k')) }],
  ])('[ST4] is full before its nodes, with %s, outgrow what a reader of the log takes', (_, shape) => {
    const { length } = encodeNode(packNode({ ...base, ...shape, id: nameOf(0) }));
    const byBytes = Math.ceil(PACK_BOUNDS.canonicalBytes / length);
    const byOps = Math.ceil(PACK_BOUNDS.ops / (shape.ops?.length ?? 1));
    const { batch, nodes } = taken(Math.min(byBytes, byOps, PACK_BOUNDS.nodes), shape);
    expect([batch.hasRoomFor(0), nodes < Math.min(byBytes, byOps)]).toEqual([false, true]);
  });

  it('[PK7] begins where the durable nodes end, whatever a batch before it left behind', () => {
    const { batch } = taken(3, {});
    expect(batch.graph.size).toBe(held.length + 3);
    const next = new Batch(batch.graph, new Registers(batch.graph));
    expect([next.isEmpty, next.nodes.length, next.graph.size, next.parts]).toEqual([true, 0, held.length, []]);
  });
});
