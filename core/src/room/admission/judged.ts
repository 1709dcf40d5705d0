/** What is known of nodes that are being judged. */
import { NONE, type NodeTable } from '../../codec/nodes/node-table.js';
import type { Graph } from '../../graph/graph.js';
import type { Speaking } from '../state/roots.js';

export interface Judged {
  readonly graph: Graph;
  readonly table: NodeTable;
  readonly speakers: Speaking;
  /** See `CheckedPack`. */
  readonly mandates?: ReadonlySet<string> | undefined;
  /** The first place among the nodes that holds what a reference names, or -1. */
  placeOf(ref: number): number;
  /** Number in the graph of what a reference names, or -1. */
  heldAs(ref: number): number;
}

/** What a node names: `prev`, if it has one, and its parents. */
export function* refsOf(table: NodeTable, place: number): Generator<number> {
  if (table.prev.get(place) !== NONE) yield table.prev.get(place);
  for (let i = table.firstParent(place); i < table.parentsEnd.get(place); i++) yield table.parents.get(i);
}
