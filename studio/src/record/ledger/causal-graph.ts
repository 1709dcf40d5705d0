/** Causal graph (DAG) of nodes under the record: each node's parents, and what another copy lacks. */
import { inTurns } from './in-turns.js';
import { type NodeId, type Room, toBase64 } from '@weft/core';

export interface CausalGraph {
  /** Frontier: nodes without children. */
  frontier(): readonly string[];
  /** Parents of a node; undefined for one that is not here. */
  parentsOf(nodeId: string): readonly string[] | undefined;
  differenceTo(nodeIds: readonly string[]): { readonly here: readonly string[]; readonly there: readonly string[] };
  /** Value of every key, as bytes in base64. */
  resolution(): Promise<{ readonly key: string; readonly valueBytesB64: string }[]>;
}

export function causalGraphOf(room: Pick<Room, 'heads' | 'nodes' | 'resolution'>): CausalGraph {
  return {
    frontier: () => room.heads.frontier,
    // Unchecked cast: a text that is no id is simply not found.
    parentsOf: (nodeId) => room.nodes.parentsOf(nodeId as NodeId),
    differenceTo: (nodeIds) => room.nodes.differenceTo(nodeIds as readonly NodeId[]),
    // Consistent without a lock: a key of the record is written once.
    resolution: () => inTurns(room.resolution(), ({ key, bytes }) => ({ key, valueBytesB64: toBase64(bytes) })),
  };
}
