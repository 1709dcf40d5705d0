/** The seals of a graph's nodes, and nodes with their seals as packs. */
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { IntColumn } from '../codec/bytes/columns.js';
import { NodeCopy } from '../codec/nodes/node-copy.js';
import { NodeTable } from '../codec/nodes/node-table.js';
import type { Places } from '../codec/packs/pack-writer.js';
import {
  type OpenPack,
  type PackHeaders,
  SIGNATURE_BYTES,
  type Seal,
  writeMessage,
  writePack,
} from '../codec/packs/pack.js';
import type { Graph } from './graph.js';
import { weightOf } from './node.js';

/** Signatures by node. */
export type Seals = Pick<ReadonlyMap<number, Uint8Array>, 'size' | 'has' | 'get' | 'keys'>;

/** Column of a room's seals, which are nearly as many as nodes: side by side, and apart from the packs that brought them. */
export class SealColumn implements Seals {
  /** Number of each node's seal, from 1, or 0. */
  readonly #numbers = new IntColumn();
  readonly #signatures = new ByteWriter(0);

  get size(): number {
    return this.#signatures.length / SIGNATURE_BYTES;
  }

  /** A node that has none yet. */
  add(node: number, signature: Uint8Array): void {
    this.#signatures.bytes(signature);
    this.#numbers.extendTo(node + 1);
    this.#numbers.values[node] = this.size;
  }

  has(node: number): boolean {
    return this.#numberOf(node) > 0;
  }

  get(node: number): Uint8Array | undefined {
    const end = this.#numberOf(node) * SIGNATURE_BYTES;
    return end === 0 ? undefined : this.#signatures.buffer.slice(end - SIGNATURE_BYTES, end);
  }

  *keys(): Generator<number> {
    for (let node = 0; node < this.#numbers.length; node++) if (this.has(node)) yield node;
  }

  #numberOf(node: number): number {
    return this.#numbers.values[node] ?? 0;
  }
}

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

/** Seals of the last sealed node of each chain among the nodes. */
export function lastSeals(graph: Graph, nodes: Places, seals: Seals): ReadonlyMap<number, Uint8Array> {
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
