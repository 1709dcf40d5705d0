/** Nodes of the graph, and those of their seals that are kept, as one pack. */
import { encodePack } from '../codec/pack.js';
import type { Placed } from './dag.js';
import { type NodeId, packNode } from './node.js';

export function packNodes(placed: readonly Placed[], seals: ReadonlyMap<NodeId, Uint8Array>): Uint8Array {
  return encodePack({
    nodes: placed.map(({ node, counter }) => packNode(node, counter)),
    seals: placed.flatMap(({ node }, index) => {
      const signature = seals.get(node.id);
      return signature ? [{ index, signature }] : [];
    }),
  });
}

/**
 * For history: of each chain only the last seal of the pack, because it vouches for everything before it. What a pack
 * cuts off stays sealed by a seal of an earlier one.
 */
export function packHistory(placed: readonly Placed[], seals: ReadonlyMap<NodeId, Uint8Array>): Uint8Array {
  const last = new Map<number, Placed>();
  for (const each of placed) if (seals.has(each.node.id)) last.set(each.chain, each);
  const kept = new Map(
    [...last.values()].flatMap(({ node }) => {
      const signature = seals.get(node.id);
      return signature ? [[node.id, signature] as const] : [];
    }),
  );
  return packNodes(placed, kept);
}
