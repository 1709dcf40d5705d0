/**
 * A room's durable nodes, for whoever asks for them by position or by name.
 *
 * Positions in the log are the graph's numbers. What is written to the room meanwhile changes nothing of what was read.
 */
import { rangeOf } from '../../codec/nodes/places.js';
import { frontierOf, frontierRoot } from '../../graph/frontier.js';
import { withAncestors } from '../../graph/graph.js';
import type { NodeId, PublicKey } from '../../graph/node.js';
import { HeldIds } from '../../reconcile/held-ids.js';
import { type Entry, entryOf } from '../state/entry.js';
import type { DormantValues } from './dormant-values.js';
import type { RoomState } from '../state/room-state.js';

/** Nodes on which nothing stands yet, and the hash of them all. */
export interface Heads {
  readonly frontier: readonly NodeId[];
  readonly root: string;
}

export interface NodeDescription {
  /** Log position. */
  readonly seq: number;
  readonly lamport: number;
  readonly nodeId: NodeId;
  readonly author: PublicKey;
  readonly wallMs: number | undefined;
}

export class RoomNodes {
  readonly #state: RoomState;
  readonly #dormant: DormantValues;
  #ids: HeldIds | undefined;
  #heads: (Heads & { readonly seq: number }) | undefined;

  constructor(state: RoomState, dormant: DormantValues) {
    this.#state = state;
    this.#dormant = dormant;
  }

  get #end(): number {
    return this.#state.seq;
  }

  /** Found once for all who ask between two commits. */
  get heads(): Heads {
    if (this.#heads?.seq === this.#end) return this.#heads;
    const frontier = frontierOf(this.#state.graph);
    this.#heads = { seq: this.#end, frontier, root: frontierRoot(frontier) };
    return this.#heads;
  }

  /** Ids that the room does not hold, of those given. */
  lacks(ids: readonly NodeId[]): NodeId[] {
    return ids.filter((id) => !this.#holds(this.#state.graph.find(id)));
  }

  /** Numbers of the nodes that are held, each once, ascending. */
  numbersOf(ids: readonly NodeId[]): number[] {
    const held = ids.map((id) => this.#state.graph.find(id)).filter((node) => this.#holds(node));
    return [...new Set(held)].sort((a, b) => a - b);
  }

  /** What a node stands on, sorted; undefined for one that is not held. */
  parentsOf(id: NodeId): NodeId[] | undefined {
    const { graph } = this.#state;
    const node = graph.find(id);
    if (!this.#holds(node)) return undefined;
    return [...graph.ancestors(node)].map((parent) => graph.idOf(parent)).sort();
  }

  /** Nodes that only the room holds, and those of the ids that it does not; each sorted. */
  differenceTo(ids: readonly NodeId[]): { readonly here: NodeId[]; readonly there: NodeId[] } {
    const theirs = new Uint8Array(this.#end);
    for (const node of this.numbersOf(ids)) theirs[node] = 1;
    const here: NodeId[] = [];
    for (let node = 0; node < this.#end; node++) if (theirs[node] === 0) here.push(this.#state.graph.idOf(node));
    return { here: here.sort(), there: [...new Set(this.lacks(ids))].sort() };
  }

  #holds(node: number): boolean {
    return node >= 0 && node < this.#end;
  }

  /** All nodes but these, by number: 1 for each. */
  allBut(numbers: readonly number[]): Uint8Array {
    const held = new Uint8Array(this.#end).fill(1);
    for (const node of numbers) held[node] = 0;
    return held;
  }

  /** The nodes that somebody holds who holds these, by number: 1 for each; undefined for none. */
  pastOf(ids: readonly NodeId[]): Uint8Array | undefined {
    const numbers = this.numbersOf(ids);
    return numbers.length === 0 ? undefined : withAncestors(this.#state.graph, numbers);
  }

  /** The ids of all nodes, for finding out what somebody else lacks. */
  get ids(): HeldIds {
    return (this.#ids ??= new HeldIds(this.#state.graph));
  }

  /** The one at a position of the log. Throws where values of it lie in the log alone: see `entries`. */
  entry(seq: number): Entry {
    return entryOf(this.#state.graph, seq);
  }

  /** Everything in log order from a position, up to what is durable when the end is reached. */
  async *entries(from = 0): AsyncGenerator<Entry> {
    for (let seq = from; seq < this.#end; seq++)
      yield this.#dormant.isIn(seq)
        ? await this.#dormant.lend(rangeOf(seq, seq + 1), () => this.entry(seq))
        : this.entry(seq);
  }

  /** Positions of the nodes that a node stands on, its author's before it first. */
  ancestors(seq: number): readonly number[] {
    return [...this.#state.graph.ancestors(seq)];
  }

  /** Whether a node has a signature of its own; one without stands under a later one of its author. */
  isSealed(seq: number): boolean {
    return this.#state.seals.has(seq);
  }

  /** What a node says of itself, its ops aside. */
  describe(seq: number): NodeDescription {
    const { graph } = this.#state;
    return {
      seq,
      lamport: graph.lamport.get(seq),
      nodeId: graph.idOf(seq),
      author: graph.authorOf(seq),
      wallMs: graph.table.walls.get(seq),
    };
  }
}
