/** The graph of nodes under the record: what stands on what, and what another copy lacks. */
import { inTurns } from './in-turns.js';
import { type NodeId, type Room, toBase64 } from '@weft/core';

export interface CausalGraph {
  /** Nodes on which nothing stands yet. */
  frontier(): readonly string[];
  /** Undefined for a node that is not here. */
  parentsOf(nodeId: string): readonly string[] | undefined;
  differenceTo(nodeIds: readonly string[]): { readonly here: readonly string[]; readonly there: readonly string[] };
  /** What every key holds, as bytes in base64. */
  resolution(): Promise<{ readonly key: string; readonly valueBytesB64: string }[]>;
}

export function causalGraphOf(room: Pick<Room, 'heads' | 'nodes' | 'resolution'>): CausalGraph {
  return {
    frontier: () => room.heads.frontier,
    // A text that is no id is the id of nothing.
    parentsOf: (nodeId) => room.nodes.parentsOf(nodeId as NodeId),
    differenceTo: (nodeIds) => room.nodes.differenceTo(nodeIds as readonly NodeId[]),
    // A key of the record is written once, so what is written meanwhile changes nothing that was read.
    resolution: () => inTurns(room.resolution(), ({ key, bytes }) => ({ key, valueBytesB64: toBase64(bytes) })),
  };
}
