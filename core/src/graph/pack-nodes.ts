/** Nodes of the graph, and those of their seals that are kept, as one pack. */
import { encodePack } from '../codec/pack.js';
import { type Node, type NodeId, packNode } from './node.js';

export function packNodes(nodes: readonly Node[], seals: ReadonlyMap<NodeId, Uint8Array>): Uint8Array {
  return encodePack({
    nodes: nodes.map(packNode),
    seals: nodes.flatMap((node, index) => {
      const signature = seals.get(node.id);
      return signature ? [{ index, signature }] : [];
    }),
  });
}
