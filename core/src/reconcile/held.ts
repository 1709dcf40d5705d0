/** Settled nodes by their ids, or the beginning of them: O(1), from the index that the graph has anyway. */
import type { Graph } from '../graph/graph.js';

/** The number of the node whose id is at `ids[at]`, or -1. */
export function heldAt(graph: Graph, ids: Int32Array, at: number): number {
  const node = graph.table.index.find(ids, at);
  return node < graph.settled ? node : -1;
}

/** The nodes below `size` whose ids begin with these two words. More than one is somebody's work. */
export function heldBeginning(graph: Graph, first: number, second: number, size: number): number[] {
  return graph.table.index.beginning(first, second).filter((node) => node < size);
}
