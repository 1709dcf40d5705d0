/**
 * A room's nodes in log order, as packs that each stand on those before. [HS5]
 *
 * Parts end where every run is closed, so each is closed under seals by itself or by those before it.
 */
import type { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { IntColumn } from '../../codec/bytes/columns.js';
import { listOf, rangeOf } from '../../codec/nodes/places.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import { type OpenPack, PACK_BOUNDS } from '../../codec/packs/pack.js';
import { lastAtMost } from '../../graph/causal-past.js';
import type { Graph } from '../../graph/graph.js';
import { weightOf } from '../../graph/node.js';
import { type Seals, copyNodes, lastSeals, packHistory } from '../../graph/seals.js';
import type { Signer } from '../../ports/crypto.js';
import { partialPack } from './partial-pack.js';
import type { Sight } from './sight.js';

/** Parts hold whole batches up to about this many bytes; a heavier batch goes alone. */
const PART_WEIGHT = 1024 * 1024;

/** What a reader is sent. */
export interface Reading {
  /** Nodes that it holds, by number: 1 for each. */
  readonly held?: Uint8Array | undefined;
  readonly sight?: Sight | undefined;
}

export class History {
  readonly #graph: Graph;
  readonly #seals: Seals;
  readonly #signer: Signer;
  /** Where history may be cut: log positions, and the weight up to there in KiB, ascending. */
  readonly #ends = new IntColumn();
  readonly #weights = new IntColumn();
  #weight = 0;
  #stored = 0;

  constructor(graph: Graph, seals: Seals, signer: Signer) {
    this.#graph = graph;
    this.#seals = seals;
    this.#signer = signer;
  }

  /** The nodes up to `end` are durable, and all runs among them closed. */
  close(end: number): void {
    const from = this.#ends.length === 0 ? 0 : this.#ends.values[this.#ends.length - 1]!;
    if (end === from) return;
    for (let node = from; node < end; node++) this.#weight += weightOf(this.#graph.table, node);
    this.#ends.push(end);
    this.#weights.push(Math.ceil(this.#weight / 1024));
  }

  /** Where the part ends that begins at a position; the position itself when there is none. */
  endOfPart(from: number): number {
    let low = this.#endsUpTo(from);
    if (low === this.#ends.length) return from;
    const before = low === 0 ? 0 : this.#weights.values[low - 1]!;
    while (low + 1 < this.#ends.length && this.#weights.values[low + 1]! - before <= PART_WEIGHT / 1024) low++;
    return this.#ends.values[low]!;
  }

  /** The next part that nothing will be added to, to be stored as a segment; undefined while there is none. */
  get fullPart(): readonly [from: number, to: number] | undefined {
    if (this.#ends.length === 0) return undefined;
    let to = this.endOfPart(this.#stored);
    if (to === 1) to = this.endOfPart(1); // no record ends behind the genesis
    const isFull = to < this.#ends.values[this.#ends.length - 1]!;
    return isFull && to - this.#stored <= PACK_BOUNDS.nodes ? [this.#stored, to] : undefined;
  }

  /** That part is a segment now: it is read as one from now on. */
  merged(to: number): void {
    const before = this.#endsUpTo(this.#stored);
    const last = this.#endsUpTo(to) - 1;
    for (const column of [this.#ends, this.#weights]) {
      column.values.copyWithin(before, last, column.length);
      column.truncate(column.length - (last - before));
    }
    this.#stored = to;
  }

  /** Nodes up to here lie in the log as segments, a part each. */
  get stored(): number {
    return this.#stored;
  }

  /** How many places where history may be cut lie at or before a position. */
  #endsUpTo(position: number): number {
    return lastAtMost(this.#ends, position) + 1;
  }

  save(out: ByteWriter): void {
    out.varint(this.#stored);
    out.varint(this.#weight);
    this.#ends.save(out);
    this.#weights.save(out);
  }

  load(input: ByteReader): void {
    this.#stored = input.varint();
    this.#weight = input.varint();
    this.#ends.load(input);
    this.#weights.load(input);
  }

  /** The seals that reading needs: of each segment, the last of each chain. */
  get neededSeals(): Map<number, Uint8Array> {
    const newest = new Map<string, number>();
    const needed = new Map<number, Uint8Array>();
    for (const node of this.#seals.keys()) {
      if (node >= this.#stored) needed.set(node, this.#seals.get(node)!);
      else {
        const name = `${this.#endsUpTo(node)}:${this.#graph.chain.values[node]!}`;
        newest.set(name, Math.max(node, newest.get(name) ?? 0));
      }
    }
    for (const node of newest.values()) needed.set(node, this.#seals.get(node)!);
    return needed;
  }

  /** The nodes [from, to) that the reader lacks, all whole; undefined when there are none. */
  pack(from: number, to: number, held?: Uint8Array): Uint8Array | undefined {
    const nodes = this.#lacking(from, to, held);
    return nodes.length === 0 ? undefined : packHistory(this.#graph, nodes, this.#seals);
  }

  /** The same for a reader who gets some as headers. */
  async read(from: number, to: number, { held, sight }: Reading): Promise<Uint8Array | undefined> {
    if (!sight) return this.pack(from, to, held);
    return this.#partial(this.#lacking(from, to, held), sight);
  }

  /** Nodes [from, to) for another room to take. `kept` closes at `to` what a segment may have left open there. */
  copy(from: number, to: number, kept: ReadonlyMap<number, Uint8Array>): OpenPack {
    const seals = new Map(kept);
    for (let at = from; at < to;) {
      const end = Math.min(this.endOfPart(at), to);
      for (const [node, signature] of lastSeals(this.#graph, rangeOf(at, end), this.#seals)) seals.set(node, signature);
      at = end;
    }
    return copyNodes(this.#graph, rangeOf(from, to), seals);
  }

  /** What closes the nodes [from, to) at the end: once they are in a segment with later ones, it may be gone. */
  closing(from: number, to: number): ReadonlyMap<number, Uint8Array> {
    return lastSeals(this.#graph, rangeOf(from, to), this.#seals);
  }

  /** These nodes, and what follows them on their chains up to the next seal: a node alone is not believed. */
  async select(nodes: readonly number[], sight: Sight | undefined): Promise<Uint8Array> {
    const { chain, chains, index } = this.#graph;
    const wanted = new Set<number>();
    for (const first of nodes) {
      const { nodes: links } = chains[chain.values[first]!]!;
      for (let at = index.values[first]!; at < links.length; at++) {
        const node = links.values[at]!;
        if (wanted.has(node)) break;
        wanted.add(node);
        if (this.#seals.has(node)) break;
      }
    }
    const places = listOf([...wanted].sort((a, b) => a - b));
    return sight
      ? partialPack(this.#graph, places, this.#seals, sight, this.#signer)
      : packHistory(this.#graph, places, this.#seals);
  }

  /** Ascending nodes in parts of about as much as a frame holds. */
  partsOf(nodes: readonly number[]): number[][] {
    const parts: number[][] = [];
    let weight = Number.POSITIVE_INFINITY;
    for (const node of nodes) {
      const own = weightOf(this.#graph.table, node);
      if (weight + own > PART_WEIGHT) {
        parts.push([]);
        weight = 0;
      }
      parts.at(-1)!.push(node);
      weight += own;
    }
    return parts;
  }

  async #partial(nodes: Places, sight: Sight): Promise<Uint8Array | undefined> {
    if (nodes.length === 0) return undefined;
    return partialPack(this.#graph, nodes, this.#seals, sight, this.#signer);
  }

  #lacking(from: number, to: number, held: Uint8Array | undefined): Places {
    if (!held) return rangeOf(from, to);
    const nodes: number[] = [];
    for (let node = from; node < to; node++) if (held[node] !== 1) nodes.push(node);
    return listOf(nodes);
  }
}
