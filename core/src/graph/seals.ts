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
import { lastAtMost } from './last-at-most.js';
import type { Graph } from './graph.js';
import { weightOf } from './node.js';

/** Signatures by node. */
export type Seals = Pick<ReadonlyMap<number, Uint8Array>, 'size' | 'has' | 'get' | 'keys'>;

/** Column of a room's seals: side by side by ascending node, and apart from the packs that brought them. */
export class SealColumn implements Seals {
  readonly #nodes = new IntColumn();
  readonly #signatures = new ByteWriter(0);

  get size(): number {
    return this.#nodes.length;
  }

  /** A node that has none yet: cheap where it is behind all others. */
  add(node: number, signature: Uint8Array): void {
    const nodes = this.#nodes;
    const at = lastAtMost(nodes, node) + 1;
    nodes.push(node);
    this.#signatures.bytes(signature);
    if (at === nodes.length - 1) return;
    nodes.values.copyWithin(at + 1, at, nodes.length - 1);
    nodes.values[at] = node;
    const [bytes, from] = [this.#signatures.buffer, at * SIGNATURE_BYTES];
    bytes.copyWithin(from + SIGNATURE_BYTES, from, this.#signatures.length - SIGNATURE_BYTES);
    bytes.set(signature, from);
  }

  has(node: number): boolean {
    return this.#indexOf(node) >= 0;
  }

  get(node: number): Uint8Array | undefined {
    const at = this.#indexOf(node);
    return at < 0 ? undefined : this.#signatureAt(at);
  }

  *keys(): Generator<number> {
    for (let at = 0; at < this.#nodes.length; at++) yield this.#nodes.values[at]!;
  }

  #indexOf(node: number): number {
    const at = lastAtMost(this.#nodes, node);
    return at >= 0 && this.#nodes.values[at] === node ? at : -1;
  }

  #signatureAt(at: number): Uint8Array {
    return this.#signatures.buffer.slice(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
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
    if (seals.has(node)) last.set(graph.chain.get(node), node);
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
