/**
 * Forks: two nodes of one author in one room on one `prev`, or both without one. [FK1] A genesis has no room: that of a child room and
 * that of its parent, which the child holds as well, are two rooms.
 *
 * An author who writes one node after the other makes none, so a fork shows that one key has written at two ends: a
 * second device, a copy that lost what it had sent, or somebody who tells different peers different things. Nothing is
 * kept for it while nodes come in: in a graph, each sibling but the first to come begins a chain, so the chains tell.
 */
import { NONE } from '../codec/nodes/node-table.js';
import type { Graph } from './graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';

export interface Fork {
  readonly author: PublicKey;
  /** What both stand on; absent when both are their author's first. */
  readonly prev?: NodeId;
  /** The two nodes, in the order of their ids. Of more than two siblings, each further one is paired with the smallest. */
  readonly nodes: readonly [NodeId, NodeId];
}

/** The forks among the settled nodes: equal lists for equal sets of nodes, in whatever order these came. */
export function forksOf(graph: Graph): Fork[] {
  const forks: Fork[] = [];
  for (const siblings of siblingsOf(graph)) {
    const [first, ...others] = siblings.map((node) => graph.idOf(node)).sort();
    const prev = graph.table.prev.get(siblings[0]!);
    for (const other of others)
      forks.push(forkOf(graph.authorOf(siblings[0]!), prev === NONE ? undefined : graph.idOf(prev), first!, other));
  }
  return forks.sort(compareForks);
}

export function forkOf(author: PublicKey, prev: NodeId | undefined, one: NodeId, other: NodeId): Fork {
  return { author, ...(prev === undefined ? {} : { prev }), nodes: one < other ? [one, other] : [other, one] };
}

/** Settled nodes that share author and `prev`, at least one in each list. */
function siblingsOf({ chains, index, settled, table }: Graph): Iterable<readonly number[]> {
  const siblings = new Map<number, number[]>();
  for (const { from, identity, nodes } of chains) {
    const node = nodes.get(0);
    if (node >= settled) break; // chains stand in the order of their first nodes
    const prev = table.prev.get(node);
    if (from < 0 && table.identities.list[identity]!.roomName === NO_ROOM) continue;
    // Numbers of nodes are not below 0: what is there is free for authors' first nodes.
    const stem = from < 0 ? -1 - identity : prev;
    let known = siblings.get(stem);
    if (!known) siblings.set(stem, (known = []));
    // The sibling that came first went on with the chain, and so was there before.
    if (from >= 0 && known.length === 0) known.push(chains[from]!.nodes.get(index.get(prev) + 1));
    known.push(node);
  }
  return siblings.values();
}

/** Siblings of one node stand together already, in the order of their ids. */
function compareForks(a: Fork, b: Fork): number {
  return compare(a.author, b.author) || compare(a.prev ?? '', b.prev ?? '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
