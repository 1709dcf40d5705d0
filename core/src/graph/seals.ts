/** The seals of a graph's nodes, and nodes with their seals as packs. */
import { NodeCopy } from '../codec/node-copy.js';
import { NodeTable } from '../codec/node-table.js';
import { type OpenPack, type PackHeaders, type Seal, writeMessage, writePack } from '../codec/pack.js';
import type { Places } from '../codec/pack-writer.js';
import type { Graph } from './graph.js';
import { weightOf } from './node.js';

/** Signatures by node. */
export type Seals = ReadonlyMap<number, Uint8Array>;

/** A single node that is too short to be deflated takes about as much as a row, which is made several times as fast. */
const ROW_WEIGHT = 512;

export function packNodes({ table }: Graph, nodes: Places, seals: Seals, headers?: PackHeaders): Uint8Array {
  const kept = sealsAmong(nodes, seals);
  const isRow = !headers && nodes.length === 1 && weightOf(table, nodes.at(0)) < ROW_WEIGHT;
  return isRow ? writeMessage(table, [nodes.at(0)], kept) : writePack(table, nodes, kept, headers);
}

/**
 * For history: of each chain only the last seal of the pack, because it vouches for everything before it. What a pack
 * cuts off stays sealed by a seal of an earlier one.
 */
export function packHistory(graph: Graph, nodes: Places, seals: Seals, headers?: PackHeaders): Uint8Array {
  return packNodes(graph, nodes, lastSeals(graph, nodes, seals), headers);
}

/** Of each chain the last one among the nodes. */
export function lastSeals(graph: Graph, nodes: Places, seals: Seals): Seals {
  const last = new Map<number, number>();
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes.at(index);
    if (seals.has(node)) last.set(graph.chain.values[node]!, node);
  }
  const kept = new Map<number, Uint8Array>();
  for (const node of last.values()) kept.set(node, seals.get(node)!);
  return kept;
}

/** Nodes with their seals as a table of their own, however much it is; what else they stand on is named there. */
export function copyNodes(graph: Graph, nodes: Places, seals: Seals): OpenPack {
  const table = new NodeTable();
  const copy = new NodeCopy(graph.table, table);
  for (let index = 0; index < nodes.length; index++) copy.copy(nodes.at(index), 0);
  return { table, seals: sealsAmong(nodes, seals) };
}

function sealsAmong(nodes: Places, seals: Seals): Seal[] {
  const kept: Seal[] = [];
  for (let index = 0; seals.size > 0 && index < nodes.length; index++) {
    const signature = seals.get(nodes.at(index));
    if (signature) kept.push({ index, signature });
  }
  return kept;
}
