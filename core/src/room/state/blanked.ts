/** Nodes that were erased in part: which they are, and how they become so. Few pages load this. [VE5] */
import { toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { copyBlank, saysAnything } from '../../codec/nodes/blank.js';
import type { Registers } from '../../crdt/registers.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';
import { BLANKED, blankedIn } from './given-up.js';

/** Name of the fact that what a node, and others, said under a key was erased: a node may lose what it says under several. */
export function blankedName(first: string, key: string): string {
  return `${BLANKED}${first}/${toHex(sha256(toUtf8(key))).slice(0, 16)}`;
}

/** Keys, by node, under which a node is to say nothing any more, as far as any of it is still there. */
export function toBlank(graph: Graph, registers: Pick<Registers, 'get' | 'live'>): Map<number, Set<number>> {
  const { table } = graph;
  const found = new Map<number, Set<number>>();
  for (const [, fact] of blankedIn(registers)) {
    const key = table.keys.find(fact.key);
    for (const id of key === undefined ? [] : fact.nodes) {
      const node = graph.find(id as NodeId);
      const isWhole = node >= 0 && !table.withheld.has(node);
      if (key === undefined || !(isWhole || (node >= 0 && saysAnything(table, node, key)))) continue;
      found.set(node, (found.get(node) ?? new Set()).add(key));
    }
  }
  return found;
}

/** Takes from these nodes what they say under these keys. Numbers of ops change. */
export function blank(graph: Graph, nodes: ReadonlyMap<number, ReadonlySet<number>>): void {
  graph.withhold(new Set(), (copy, node, counter) => {
    const keys = nodes.get(node);
    if (keys) copyBlank(copy, node, counter, keys);
    return keys !== undefined;
  });
}
