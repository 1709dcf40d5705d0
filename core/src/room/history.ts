/**
 * A room's nodes in log order, as packs that each stand on those before. [HS5]
 *
 * Parts end where every run is closed, so each is closed under seals by itself or by those before it.
 */
import { listOf, rangeOf } from '../codec/places.js';
import { IntColumn } from '../codec/columns.js';
import type { Places } from '../codec/pack-writer.js';
import type { Graph } from '../graph/graph.js';
import { weightOf } from '../graph/node.js';
import { type Seals, packHistory } from '../graph/seals.js';
import type { Signer } from '../ports/crypto.js';
import { partialPack } from './partial-pack.js';
import type { Sight } from './sight.js';

/** Parts hold whole batches up to about this many bytes; a heavier batch goes alone. */
const PART_WEIGHT = 1024 * 1024;

/** What a reader is sent. */
export interface Reading {
  /** Nodes that it holds, by number: 1 for each. */
  readonly held?: Uint8Array;
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
    let low = 0;
    for (let high = this.#ends.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.#ends.values[middle]! <= from) low = middle + 1;
      else high = middle;
    }
    if (low === this.#ends.length) return from;
    const before = low === 0 ? 0 : this.#weights.values[low - 1]!;
    while (low + 1 < this.#ends.length && this.#weights.values[low + 1]! - before <= PART_WEIGHT / 1024) low++;
    return this.#ends.values[low]!;
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
