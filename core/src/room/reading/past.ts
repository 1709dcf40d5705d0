/**
 * Past of a room: what it held at any position of its log, or in the causal past of any of its nodes. [PJ1]
 *
 * The log keeps every node, so its beginning can be folded again at any time, into a second document over the same graph:
 * what a fold looks up is a matter of the nodes that it has been given, and nodes that come later change nothing of them.
 * The past of nodes that is no beginning of the log is copied into a graph of its own, as a replica would hold it.
 *
 * Folding pauses often, and one fold is made at a time.
 */
import { Mutex } from '../../concurrency/mutex.js';
import { Pauses } from '../../concurrency/pauses.js';
import { rangeOf } from '../../codec/nodes/places.js';
import { Document } from '../../crdt/document.js';
import { keepValues, missingOf } from '../../crdt/dormant-winners.js';
import { StateHash } from '../../crdt/state-hash.js';
import { Graph } from '../../graph/graph.js';
import { Heads } from '../../graph/heads.js';
import { Incoming } from '../../graph/incoming.js';
import type { NodeId } from '../../graph/node.js';
import { Rejection } from '../../rejection.js';
import { prunedIn } from '../state/given-up.js';
import type { RoomState } from '../state/room-state.js';
import { DocumentView } from './document-view.js';
import type { DormantValues } from './dormant-values.js';

/** View of a room's values at some point of its past. */
export class PastView extends DocumentView {
  /** The log's length; absent where the past of some nodes is no beginning of the log. */
  readonly seq: number | undefined;
  readonly frontier: readonly NodeId[];
  readonly #shown: Document;

  constructor(values: Document, seq: number | undefined, frontier: readonly NodeId[]) {
    super(values);
    this.seq = seq;
    this.frontier = frontier;
    this.#shown = values;
  }

  /** Keeps what it shows of these ops, whose values are at hand just now and not any more later. */
  keep(ops: Iterable<number>): void {
    keepValues(this.#shown, ops);
  }
}

export class Past {
  /** The values as they are: what it answers changes with the room. */
  readonly present: DocumentView;
  readonly #state: RoomState;
  readonly #mutex = new Mutex();
  readonly #dormant: DormantValues;
  /** Views over the room's own graph that somebody holds. */
  #views: readonly WeakRef<PastView>[] = [];
  /** Asked for again it need not be made again, for as long as the memory is not needed. */
  #last: { readonly name: string; readonly view: WeakRef<PastView> } | undefined;

  constructor(state: RoomState, dormant: DormantValues) {
    this.#state = state;
    this.#dormant = dormant;
    this.present = new DocumentView(state.values);
  }

  /** Views keep what they show of ops whose values leave memory next. */
  keep(ops: Iterable<number>): void {
    this.#views = this.#views.filter((view) => view.deref() !== undefined);
    for (const view of this.#views) view.deref()?.keep(ops);
  }

  async at(seq: number): Promise<PastView> {
    if (!Number.isInteger(seq) || seq < 0 || seq > this.#state.seq)
      throw new Rejection('reject.checkpoint_not_found', `the log has ${this.#state.seq} nodes, not ${seq}`);
    this.#expectHeld(seq);
    return this.folded(seq);
  }

  /** What nodes before a position say as far as they are held. */
  folded(seq: number): Promise<PastView> {
    return this.#once(String(seq), () => this.#fold(this.#state.graph, seq, seq));
  }

  /** [PN3] */
  #expectHeld(seq: number): void {
    const pruned = prunedIn(this.#state.values.registers);
    if (pruned && seq > 0 && seq < pruned.seq)
      throw new Rejection('reject.checkpoint_not_found', `what was before position ${pruned.seq} of the log is pruned`);
  }

  /** The nodes with these numbers, all that they stand on, and all before a log position. */
  async of(numbers: readonly number[], before = 0): Promise<PastView> {
    const marked = (await this.#withAncestors(numbers)).fill(1, 0, before);
    const size = marked.reduce((sum, mark) => sum + mark, 0);
    if (marked.lastIndexOf(1) === size - 1) return this.at(size);
    this.#expectHeld(Math.max(1, marked.indexOf(0)));
    return this.#once(`past of ${before} ${numbers.join()}`, async () => {
      const graph = await this.#copy(marked);
      return this.#fold(graph, graph.settled, undefined);
    });
  }

  #once(name: string, make: () => Promise<PastView>): Promise<PastView> {
    return this.#mutex.run(async () => {
      const held = this.#last?.name === name ? this.#last.view.deref() : undefined;
      if (held) return held;
      const view = await make();
      this.#last = { name, view: new WeakRef(view) };
      return view;
    });
  }

  /** Marks the nodes, and everything that they stand on: ancestors have smaller numbers. */
  async #withAncestors(numbers: readonly number[]): Promise<Uint8Array> {
    const { table } = this.#state.graph;
    const marked = new Uint8Array(this.#state.seq);
    const pauses = new Pauses();
    for (const node of numbers) marked[node] = 1;
    for (let node = marked.lastIndexOf(1); node >= 0; node--) {
      if (pauses.due(1 / 16)) await pauses.take();
      if (marked[node] !== 1) continue;
      const prev = table.prev.get(node);
      if (prev >= 0) marked[prev] = 1;
      for (let i = table.firstParent(node); i < table.parentsEnd.get(node); i++) marked[table.parents.get(i)] = 1;
    }
    return marked;
  }

  async #copy(marked: Uint8Array): Promise<Graph> {
    const { table } = this.#state.graph;
    const graph = new Graph();
    const incoming = new Incoming(graph, table);
    const pauses = new Pauses();
    for (let node = 0; node < marked.length; node++) {
      if (marked[node] !== 1) continue;
      if (this.#dormant.isIn(node)) await this.#dormant.lend(rangeOf(node, node + 1), () => incoming.append(node));
      else incoming.append(node);
      if (pauses.due(1 + table.opsEnd.get(node) - table.firstOp(node))) await pauses.take();
    }
    graph.settle();
    return graph;
  }

  async #fold(graph: Graph, end: number, seq: number | undefined): Promise<PastView> {
    const values = new Document(graph, StateHash, this.#state.room);
    const heads = new Heads();
    const pauses = new Pauses();
    for (let node = 0; node < end; node++) {
      const { table } = graph;
      values.apply(node);
      heads.delete(table.prev.get(node));
      for (let i = table.firstParent(node); i < table.parentsEnd.get(node); i++) heads.delete(table.parents.get(i));
      heads.add(node);
      if (pauses.due(1 + table.opsEnd.get(node) - table.firstOp(node))) await pauses.take();
    }
    const frontier = heads.list().map((head) => graph.idOf(head));
    const view = new PastView(values, seq, frontier.sort());
    return graph === this.#state.graph ? this.#held(view, values) : view;
  }

  /** A view over the room's graph has what is overwritten by now, and keeps what will be. */
  #held(view: PastView, values: Document): Promise<PastView> {
    let missing: readonly number[] = [];
    const find = (): readonly number[] => (missing = missingOf(values));
    return this.#dormant.lendOps(find, () => {
      keepValues(values, missing);
      this.#views = [...this.#views.filter((other) => other.deref() !== undefined), new WeakRef(view)];
      return view;
    });
  }
}
