/**
 * What the lane is about to make durable: new nodes at the end of the graph, visible to the jobs of the same
 * batch and to nobody else until the log has them.
 */
import { rangeOf, listOf } from '../codec/places.js';
import type { Places } from '../codec/pack-writer.js';
import { StagedRegisters, type Registers } from '../crdt/registers.js';
import type { Graph } from '../graph/graph.js';
import { Incoming } from '../graph/incoming.js';
import { weightOf } from '../graph/node.js';
import { packNodes } from '../graph/seals.js';
import type { Judgement } from './admission.js';
import { type CommitOrigin, SERVER_ORIGIN } from './commit.js';
import { writeDraft } from './draft.js';
import type { Genesis } from './genesis.js';
import type { HeldWrite, Write } from './write.js';

/** How much one append takes, so that each record stays one that a reader takes. A job that is heavier goes alone. */
export const BATCH_WEIGHT = 8 * 1024 * 1024;

export interface BatchPart {
  readonly origin: CommitOrigin;
  readonly nodes: Places;
  /** The pack that brought exactly these nodes. */
  readonly pack?: Uint8Array;
}

/** What this host writes around nodes that it takes. */
export interface Framing {
  /** One node, if there is anything. */
  readonly before: readonly Write[];
  /** A node each. */
  readonly behind: readonly (readonly Write[])[];
}

export class Batch {
  readonly graph: Graph;
  readonly values: StagedRegisters;
  readonly seals = new Map<number, Uint8Array>();
  readonly #taken: BatchPart[] = [];
  readonly #written: number[] = [];
  /** The last of this host's nodes in each part that goes by itself. */
  readonly #tips: number[] = [];
  /** Behind the genesis, if it is part of the batch. */
  readonly #start: number;
  #weight = 0;

  /** The first batch of a room carries its genesis. */
  constructor(graph: Graph, values: Registers, genesis?: Genesis) {
    graph.rewind();
    this.graph = graph;
    this.values = new StagedRegisters(graph, values);
    if (genesis) this.seals.set(new Incoming(graph, genesis.table).append(0), genesis.signature);
    this.#start = graph.size;
  }

  get isEmpty(): boolean {
    return this.graph.size === this.#start;
  }

  hasRoomFor(weight: number): boolean {
    return this.isEmpty || this.#weight + weight <= BATCH_WEIGHT;
  }

  get nodes(): Places {
    return rangeOf(this.graph.settled, this.graph.size);
  }

  /** The newest of this host's nodes in each part, which the lane seals: one signature for all that it wrote in a batch. */
  get unsealedTips(): readonly number[] {
    return [...this.#tips, ...this.#written.slice(-1)];
  }

  /** By origin. This host's nodes come last: they may stand on a peer's, never the other way round. */
  get parts(): readonly BatchPart[] {
    const own = { origin: SERVER_ORIGIN, nodes: listOf(this.#written) };
    return this.#written.length > 0 ? [...this.#taken, own] : this.#taken;
  }

  /** All nodes with their seals: the record of the log. */
  get pack(): Uint8Array {
    const [part, ...others] = this.parts;
    const isOnePush = part !== undefined && others.length === 0 && part.nodes.length === this.nodes.length;
    return (isOnePush ? part.pack : undefined) ?? packNodes(this.graph, this.nodes, this.seals);
  }

  /** Adds what admission let in. `pack` holds what was judged, and nothing else. */
  take(judgement: Judgement, origin: CommitOrigin, pack?: Uint8Array): void {
    const from = this.graph.size;
    judgement.enter(this.seals);
    if (this.graph.size === from) return;
    const nodes = rangeOf(from, this.graph.size);
    this.#taken.push({ origin, nodes, ...(pack && judgement.isWhole ? { pack } : {}) });
    this.#weigh(from);
  }

  /** Adds a new node of this host on all heads. */
  write(identity: number, writes: readonly (Write | HeldWrite)[], now: number): number {
    const wallMs = this.#written.length === 0 ? now : undefined; // of the run, which is the batch
    const node = writeDraft(this.graph, identity, writes, wallMs);
    this.#written.push(node);
    this.#weigh(node);
    return node;
  }

  /**
   * Adds what admission let in with this host's own words around it, as one part that stands on nothing else in the batch:
   * only for one that is empty.
   */
  frame(judgement: Judgement, identity: number, { before, behind }: Framing, now: number): void {
    const from = this.graph.size;
    const tips: number[] = [];
    const write = (writes: readonly Write[]): void =>
      void tips.push(writeDraft(this.graph, identity, writes, tips.length === 0 ? now : undefined));
    if (before.length > 0) write(before);
    judgement.enter(this.seals);
    for (const writes of behind) write(writes);
    if (this.graph.size === from) return;
    this.#tips.push(...tips.slice(-1));
    this.#taken.push({ origin: SERVER_ORIGIN, nodes: rangeOf(from, this.graph.size) });
    this.#weigh(from);
  }

  #weigh(from: number): void {
    for (let node = from; node < this.graph.size; node++) this.#weight += weightOf(this.graph.table, node);
  }
}
