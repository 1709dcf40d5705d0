/**
 * What the lane is about to make durable: new nodes laid over the room, visible to the jobs of the same
 * batch and to nobody else until the log has them.
 */
import { Registers } from '../crdt/registers.js';
import { Dag, type Placed } from '../graph/dag.js';
import { type Node, type NodeId, type PublicKey, weightOf } from '../graph/node.js';
import type { Verdict } from './admission.js';
import { type CommitOrigin, SERVER_ORIGIN } from './commit.js';
import { draftNode, toOp } from './draft.js';
import type { Genesis } from './genesis.js';
import type { Write } from './write.js';

/** How much one append takes, so that each record stays one that a reader takes. A job that is heavier goes alone. */
export const BATCH_WEIGHT = 8 * 1024 * 1024;

export interface BatchPart {
  readonly origin: CommitOrigin;
  readonly nodes: readonly Placed[];
}

export class Batch {
  readonly graph: Dag;
  readonly values: Registers;
  readonly seals = new Map<NodeId, Uint8Array>();
  readonly #taken: BatchPart[] = [];
  readonly #written: Placed[] = [];
  readonly #start: number;
  #weight = 0;

  /** The first batch of a room carries its genesis. */
  constructor(graph: Dag, values: Registers, genesis?: Genesis) {
    this.graph = new Dag(graph);
    this.values = new Registers(values);
    if (genesis) this.#add(genesis.node);
    if (genesis) this.seals.set(genesis.node.id, genesis.signature);
    this.#start = this.graph.size;
  }

  get isEmpty(): boolean {
    return this.graph.size === this.#start;
  }

  hasRoomFor(weight: number): boolean {
    return this.isEmpty || this.#weight + weight <= BATCH_WEIGHT;
  }

  get nodes(): readonly Placed[] {
    return this.graph.slice();
  }

  /** The newest of this host's nodes, which the lane seals: one signature for the whole batch. */
  get unsealedTip(): Node | undefined {
    return this.#written.at(-1)?.node;
  }

  /** By origin. This host's nodes come last: they may stand on a peer's, never the other way round. */
  get parts(): readonly BatchPart[] {
    const own = { origin: SERVER_ORIGIN, nodes: this.#written };
    return this.#written.length > 0 ? [...this.#taken, own] : this.#taken;
  }

  /** Adds what admission let in. */
  take(verdict: Verdict, origin: CommitOrigin): void {
    const nodes = verdict.admitted.map((node) => this.#add(node));
    for (const [id, signature] of verdict.seals) this.seals.set(id, signature);
    if (nodes.length > 0) this.#taken.push({ origin, nodes });
  }

  /** Adds a new node of this host on all heads. */
  write(room: NodeId, author: PublicKey, writes: readonly Write[]): Node {
    const node = draftNode(this.graph, room, author, writes.map(toOp));
    this.#written.push(this.#add(node));
    return node;
  }

  #add(node: Node): Placed {
    const placed = this.graph.add(node);
    this.values.apply(placed);
    this.#weight += weightOf(node);
    return placed;
  }
}
