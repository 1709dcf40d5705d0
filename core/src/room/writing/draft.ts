/** Draft of a node of this host, on all heads. */
import { fromHex } from '../../codec/bytes/bytes.js';
import { NONE } from '../../codec/nodes/node-table.js';
import { OP_DELETE, OP_SET, OP_SET_BLOB } from '../../codec/nodes/op-kinds.js';
import { BlobRef } from '../../crdt/registers.js';
import type { Graph } from '../../graph/graph.js';
import { encode, refusing } from '../state/value-encoding.js';
import type { HeldWrite, Write } from '../state/write.js';

export interface Draft<T> {
  /** Undefined when there was nothing to write. */
  readonly node: number | undefined;
  readonly result: T;
}

/**
 * A node of the ops that `fill` adds to the graph's table, with what it answers. Throws a `Rejection`, and nothing has
 * changed, for what no replica would take.
 */
export function draft<T>(graph: Graph, identity: number, fill: () => T, wallMs?: number): Draft<T> {
  const { table } = graph;
  try {
    return refusing(() => {
      const result = fill();
      const isNothing = table.ops === table.firstOp(table.size);
      return { node: isNothing ? undefined : graph.write(identity, graph.tip(identity), wallMs), result };
    });
  } catch (error) {
    table.drop();
    throw error;
  }
}

export function addWrite({ table }: Graph, write: Write | HeldWrite): void {
  const { key } = write;
  const number = table.keys.number(key);
  const held = 'held' in write ? write.held : write.value === undefined ? undefined : encode(key, write.value);
  if (held) table.content.bytes(held instanceof BlobRef ? fromHex(held.hash) : held);
  table.addOp(!held ? OP_DELETE : held instanceof BlobRef ? OP_SET_BLOB : OP_SET, number, NONE, 0, 0);
}
