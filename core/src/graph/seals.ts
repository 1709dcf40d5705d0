/** The seals of a graph's nodes, and nodes with their seals as packs. */
import { type PackHeaders, type Seal, writePack } from '../codec/pack.js';
import type { Places } from '../codec/pack-writer.js';
import type { Graph } from './graph.js';

/** Signatures by node. */
export type Seals = ReadonlyMap<number, Uint8Array>;

export function packNodes({ table }: Graph, nodes: Places, seals: Seals, headers?: PackHeaders): Uint8Array {
  const kept: Seal[] = [];
  for (let index = 0; seals.size > 0 && index < nodes.length; index++) {
    const signature = seals.get(nodes.at(index));
    if (signature) kept.push({ index, signature });
  }
  return writePack(table, nodes, kept, headers);
}

/**
 * For history: of each chain only the last seal of the pack, because it vouches for everything before it. What a pack
 * cuts off stays sealed by a seal of an earlier one.
 */
export function packHistory(graph: Graph, nodes: Places, seals: Seals, headers?: PackHeaders): Uint8Array {
  const last = new Map<number, number>();
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes.at(index);
    if (seals.has(node)) last.set(graph.chain.values[node]!, node);
  }
  const kept = new Map<number, Uint8Array>();
  for (const node of last.values()) kept.set(node, seals.get(node)!);
  return packNodes(graph, nodes, kept, headers);
}
