/** A new node on all heads. */
import { DecodeError } from '../codec/bytes.js';
import { NODE_BOUNDS } from '../codec/canonical-node.js';
import { encodeValue } from '../codec/msgpack.js';
import type { Op } from '../codec/op.js';
import type { Dag } from '../graph/dag.js';
import { sortedFrontier } from '../graph/frontier.js';
import { type Node, type NodeId, type PublicKey, identify } from '../graph/node.js';
import { Rejection } from '../rejection.js';
import type { Write } from './write.js';

/**
 * Throws a `Rejection` for a key or value that no replica would take. `tip` is the chain to go on with: an author
 * who writes in two places has two.
 */
export function draftNode(
  graph: Dag,
  room: NodeId,
  author: PublicKey,
  ops: readonly Op[],
  tip = graph.tip(author),
): Node {
  const prev = tip !== undefined && graph.find(tip)?.node.room === room ? tip : undefined;
  const heads = sortedFrontier(graph.heads).filter((head) => head !== prev);
  const parents = heads.slice(0, NODE_BOUNDS.parents);
  try {
    return identify({ room, author, ...(prev ? { prev } : {}), parents, ops });
  } catch (error) {
    if (error instanceof DecodeError) throw new Rejection('invalid-value', error.message, { cause: error });
    throw error;
  }
}

export function toOp({ key, value }: Write): Op {
  if (value === undefined) return { kind: 'delete', key };
  try {
    return { kind: 'set', key, value: encodeValue(value) };
  } catch (error) {
    throw new Rejection('invalid-value', `the value of ${JSON.stringify(key)} cannot be stored`, { cause: error });
  }
}
