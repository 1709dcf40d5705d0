/** The frontier of a room: its heads in sorted order, and the root that names them in one hash. [HS4] */
import { concatBytes, fromHex, toHex } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import type { Graph } from './graph.js';
import type { NodeId } from './node.js';

export function frontierOf(graph: Graph): NodeId[] {
  return graph.settledHeads.map((head) => graph.idOf(head)).sort();
}

/** SHA-256 over the sorted head ids; of nothing for an empty graph. */
export function frontierRoot(frontier: readonly NodeId[]): string {
  return toHex(sha256(concatBytes(frontier.map(fromHex))));
}
