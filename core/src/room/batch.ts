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
import { type Draft, addWrite, draft } from './draft.js';
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

export class Batch {
  readonly graph: Graph;
  readonly values: StagedRegisters;
  readonly seals = new Map<number, Uint8Array>();
  readonly #taken: BatchPart[] = [];
  readonly #written: number[] = [];
  /** Behind the genesis, if it is part of the batch. */
  readonly #start: number;
  #weight = 0;
  #establishes = false;

  /** The first batch of a room carries its genesis. */
  constructor(graph: Graph, values: Registers, genesis?: Genesis) {
    graph.rewind();
    this.graph = graph;
    this.values = new StagedRegisters(graph, values);
    if (genesis) this.seals.set(new Incoming(graph, genesis.table).append(0), genesis.signature);
    this.#start = graph.size;
  }

  get isEmpty(): boolean {
    return this.graph.size === (this.#establishes ? this.graph.settled : this.#start);
  }

  hasRoomFor(weight: number): boolean {
    return this.isEmpty || this.#weight + weight <= BATCH_WEIGHT;
  }

  get nodes(): Places {
    return rangeOf(this.graph.settled, this.graph.size);
  }

  /** The newest of this host's nodes, which the lane seals: one signature for the whole batch. */
  get unsealedTip(): number | undefined {
    return this.#written.at(-1);
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

  /** The genesis of a new room is worth an append of its own. */
  establish(): void {
    this.#establishes = true;
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

  /** Adds a new node of this host on all heads; undefined when there is nothing to write. */
  write(identity: number, writes: readonly (Write | HeldWrite)[], now: number): number | undefined {
    return this.edit(identity, () => writes.forEach((write) => addWrite(this.graph, write)), now).node;
  }

  /** The same of the ops that `fill` adds to the graph's table, with what it answers. */
  edit<T>(identity: number, fill: () => T, now: number): Draft<T> {
    const wallMs = this.#written.length === 0 ? now : undefined; // of the run, which is the batch
    const drafted = draft(this.graph, identity, fill, wallMs);
    if (drafted.node === undefined) return drafted;
    this.#written.push(drafted.node);
    this.#weigh(drafted.node);
    return drafted;
  }

  #weigh(from: number): void {
    for (let node = from; node < this.graph.size; node++) this.#weight += weightOf(this.graph.table, node);
  }
}
