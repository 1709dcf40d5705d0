/** Giving up: what a replica needs where a server has refused nodes of it for good. Pages load it then. [RE3] */
import type { Graph } from '../../graph/graph.js';
import { type HeldEdit, heldEdits, withOld } from './held-edits.js';
import { type Rewritten, Rewriting } from './rewriting.js';
import type { Lost } from './unconfirmed.js';

export interface GivingUp {
  /** What lost nodes have edited; ask before they are given up. */
  held(graph: Graph, lost: readonly Lost[]): HeldEdit[];
  /** Held edits with the values from before them; ask when they are given up. */
  withOld(held: readonly HeldEdit[], read: (key: string) => unknown): HeldEdit[];
  rewrite(graph: Graph, identity: number, lost: ReadonlySet<number>): Rewritten;
}

export const givingUp: GivingUp = {
  held: heldEdits,
  withOld,
  rewrite: (graph, identity, lost) => new Rewriting(graph, identity, lost),
};
