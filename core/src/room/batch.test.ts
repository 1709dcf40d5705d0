import { describe, expect, it } from 'vitest';
import { encodeNode } from '../codec/canonical-node.js';
import type { Op } from '../codec/op.js';
import { PACK_BOUNDS } from '../codec/pack.js';
import { Registers } from '../crdt/registers.js';
import { Dag } from '../graph/dag.js';
import { type Node, type NodeId, type PublicKey, NO_ROOM, identify, packNode } from '../graph/node.js';
import { BATCH_WEIGHT, Batch } from './batch.js';

const nameOf = (number: number): NodeId => number.toString(16).padStart(64, '0') as NodeId;
const remove = (key: string): Op => ({ kind: 'delete', key });
const base = identify({ room: NO_ROOM, author: 'a'.repeat(64) as PublicKey, parents: [], ops: [remove('k')] });

/** So many nodes of one shape; the batch never looks inside an id. */
function taken(count: number, shape: Partial<Node>): Batch {
  const batch = new Batch(new Dag(), new Registers());
  const admitted = Array.from({ length: count }, (_, i): Node => ({ ...base, ...shape, id: nameOf(i) }));
  batch.take({ admitted, seals: new Map(), duplicates: 0, refused: [] }, { from: 'peer' });
  return batch;
}

describe('a batch', () => {
  it('[ST4] has room for anything while it is empty, and for more while it is light', () => {
    expect(taken(0, {}).hasRoomFor(Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(taken(1024, {}).hasRoomFor(1024)).toBe(true);
    expect(taken(1, {}).hasRoomFor(BATCH_WEIGHT)).toBe(false);
  });

  it.each<[string, Partial<Node>]>([
    ['large values', { ops: [{ kind: 'set', key: 'k', value: new Uint8Array(1_000_000) }] }],
    ['long keys', { ops: Array.from({ length: 250 }, () => remove('k'.repeat(4096))) }],
    ['long keys of wide characters', { ops: Array.from({ length: 250 }, () => remove('\u20ac'.repeat(1365))) }],
    ['many parents', { parents: Array.from({ length: 256 }, (_, i) => nameOf(2 ** 40 + i)) }],
    ['many ops', { ops: Array.from({ length: 4000 }, () => remove('k')) }],
  ])('[ST4] is full before its nodes, with %s, outgrow what a reader of the log takes', (_, shape) => {
    const { length } = encodeNode(packNode({ ...base, ...shape }, 0));
    const byBytes = Math.ceil(PACK_BOUNDS.canonicalBytes / length);
    const byOps = Math.ceil(PACK_BOUNDS.ops / (shape.ops?.length ?? 1));
    expect(taken(Math.min(byBytes, byOps), shape).hasRoomFor(0)).toBe(false);
  });
});
