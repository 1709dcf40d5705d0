/**
 * The causal graph of one room: nodes in log order, their clocks, their chains, and the heads.
 *
 * A node is a number, its position in the log. A chain is an author's nodes linked by `prev`. Two nodes on one `prev` are
 * a fork: here the first to come goes on with the chain and each other one begins a chain, but that is bookkeeping of this
 * replica. Elements of texts and lists are counted along `prev` links, so what a node means by a counter does not depend
 * on which branch came first.
 *
 * Invariant: every ancestor of a held node is held. Adding costs O(parents). What was added since `settle` can be taken
 * back: that is how a batch is laid out before it is durable.
 */
import { compareIds } from '../codec/nodes/compared-ids.js';
import { IntColumn } from '../codec/bytes/columns.js';
import { LogColumn } from '../codec/bytes/log-column.js';
import { NODE_BOUNDS, checkNode } from '../codec/nodes/canonical-node.js';
import { NodeCopy } from '../codec/nodes/node-copy.js';
import { identifyWritten } from '../codec/nodes/node-id.js';
import { NONE, NodeTable } from '../codec/nodes/node-table.js';
import { Heads } from './heads.js';
import { type NodeId, type PublicKey, nameOf, wordsOf } from './node.js';

const NO_NODES: number[] = [];

export interface Chain {
  /** Number of its author. */
  readonly identity: number;
  /** Its nodes, from the first to the last. */
  nodes: LogColumn;
  /** The counter of its first element: not 0 on a branch of a fork. */
  readonly base: number;
  /** The chain that it branched off, or -1. */
  readonly from: number;
}

export class Graph {
  #table = new NodeTable();
  /** Derived, never sent: 1 + the greatest among `prev` and the parents. [ND3] */
  lamport = new LogColumn();
  /** Chains are named by number in order of first appearance. */
  chain = new LogColumn();
  /** Index on the chain, from 0. */
  index = new LogColumn();
  readonly chains: Chain[] = [];
  /** Chains by number of the author. */
  readonly #chainsOf: IntColumn[] = [];
  /** Those that are not settled among them. */
  readonly heads = new Heads();
  /** Pairs since `settle`: a node, and a head before it that it stands on. */
  readonly #covered = new IntColumn();
  #settled = 0;

  get table(): NodeTable {
    return this.#table;
  }

  get size(): number {
    return this.lamport.length;
  }

  /** Nodes that will not be taken back. */
  get settled(): number {
    return this.#settled;
  }

  /** Heads among the settled nodes. */
  get settledHeads(): number[] {
    const heads = this.heads.list().filter((head) => head < this.#settled);
    for (let i = 1; i < this.#covered.length; i += 2) {
      const head = this.#covered.values[i]!;
      if (head < this.#settled) heads.push(head);
    }
    return heads;
  }

  /** The number of a node, or -1. */
  find(id: NodeId): number {
    return this.table.index.find(wordsOf(id), 0);
  }

  idOf(node: number): NodeId {
    return nameOf(this.table, node);
  }

  authorOf(node: number): PublicKey {
    return this.table.identities.list[this.table.identity.get(node)]!.authorName as PublicKey;
  }

  /** The newest node of an author, or -1. */
  tip(identity: number): number {
    const own = this.#chainsOf[identity];
    let tip = -1;
    for (let i = 0; own && i < own.length; i++) {
      const { nodes } = this.chains[own.values[i]!]!;
      tip = Math.max(tip, nodes.get(nodes.length - 1));
    }
    return tip;
  }

  /** Elements that the chain of a node has inserted up to it, its own included. */
  counterAfter(node: number): number {
    return this.table.counter.get(node) + this.table.elementsOf(node);
  }

  /** The chain that a node on `prev` will stand on. */
  chainAfter(prev: number): number {
    if (prev === NONE) return this.chains.length;
    const chain = this.chain.get(prev);
    const { nodes } = this.chains[chain]!;
    return nodes.get(nodes.length - 1) === prev ? chain : this.chains.length;
  }

  /** What a node stands on, `prev` included. */
  *ancestors(node: number): Generator<number> {
    const { table } = this;
    if (table.prev.get(node) !== NONE) yield table.prev.get(node);
    for (let i = table.firstParent(node); i < table.parentsEnd.get(node); i++) yield table.parents.get(i);
  }

  /**
   * Makes a node of the table's open ops, on `prev` and all other heads. Throws `DecodeError`, and nothing has changed,
   * when no replica would take it.
   */
  write(identity: number, prev: number, wallMs?: number): number {
    const isOnlyHead = this.heads.size === 1 && this.heads.has(prev);
    return this.writeOn(identity, prev, isOnlyHead ? NO_NODES : this.#headsBeside(prev), wallMs);
  }

  /** Heads beside `prev`, as many as one node takes: the next one takes more of them. */
  #headsBeside(prev: number): number[] {
    return this.heads
      .list()
      .filter((head) => head !== prev)
      .slice(0, NODE_BOUNDS.parents);
  }

  /** Makes a node of the table's open ops on `prev` and these parents; throws as `write` does. */
  writeOn(identity: number, prev: number, parents: number[], wallMs?: number): number {
    const { table } = this;
    const size = table.size;
    parents.sort((a, b) => compareIds(table, a, b));
    try {
      for (const parent of parents) table.parents.push(parent);
      table.close(identity, prev, prev === NONE ? 0 : this.counterAfter(prev));
      if (wallMs !== undefined) table.walls.set(size, wallMs);
      checkNode(table, size);
      identifyWritten(table);
    } catch (error) {
      table.truncate(size);
      throw error;
    }
    return this.append();
  }

  /** Takes the next node that was closed and identified in the table into the graph. */
  append(): number {
    const { table } = this;
    const node = this.lamport.length;
    const prev = table.prev.get(node);
    let lamport = 0;
    if (prev !== NONE) {
      lamport = this.lamport.get(prev);
      this.#cover(node, prev);
    }
    for (let i = table.firstParent(node); i < table.parentsEnd.get(node); i++) {
      const parent = table.parents.get(i);
      lamport = Math.max(lamport, this.lamport.get(parent));
      this.#cover(node, parent);
    }
    this.heads.add(node);
    this.lamport.push(lamport + 1);
    const chain = this.chainAfter(prev);
    if (chain === this.chains.length) this.#addChain(node, prev);
    const { nodes } = this.chains[chain]!;
    this.chain.push(chain);
    this.index.push(nodes.length);
    nodes.push(node);
    return node;
  }

  /** Takes so many next nodes into the graph: fast where each is the `prev` of the next. */
  appendRun(count: number): void {
    const { table } = this;
    const end = this.size + count;
    const { values: prevs, start: prevsFrom } = table.prev;
    const { values: ends, start: endsFrom } = table.parentsEnd;
    while (this.size < end) {
      const first = this.append();
      let next = first + 1;
      const parentsEnd = ends[first - endsFrom];
      while (next < end && prevs[next - prevsFrom] === next - 1 && ends[next - endsFrom] === parentsEnd) next++;
      this.#extend(first, next - first - 1);
    }
  }

  /** Extends a chain by nodes that stand on nothing but the one before each, the first on a node that was added just now. */
  #extend(tip: number, count: number): void {
    if (count === 0) return;
    const chain = this.chain.get(tip);
    const lamport = this.lamport.get(tip);
    const index = this.index.get(tip);
    const { nodes } = this.chains[chain]!;
    for (const column of [this.lamport, this.chain, this.index, nodes]) column.reserve(count);
    for (let i = 1; i <= count; i++) {
      this.lamport.push(lamport + i);
      this.chain.push(chain);
      this.index.push(index + i);
      nodes.push(tip + i);
    }
    this.heads.move(tip, tip + count);
  }

  #addChain(node: number, prev: number): void {
    this.begin({
      identity: this.table.identity.get(node),
      nodes: new LogColumn(4),
      base: this.table.counter.get(node),
      from: prev === NONE ? -1 : this.chain.get(prev),
    });
  }

  /** Begins a chain, which is numbered next. */
  begin(chain: Chain): void {
    (this.#chainsOf[chain.identity] ??= new IntColumn(1)).push(this.chains.length);
    this.chains.push(chain);
  }

  #cover(node: number, ancestor: number): void {
    if (!this.heads.delete(ancestor)) return;
    this.#covered.push(node);
    this.#covered.push(ancestor);
  }

  /**
   * Nodes that were known by their headers get the ops that they have in another table: places there by number here.
   * Numbers of nodes, keys and authors stay, those of ops do not.
   */
  fill(from: NodeTable, places: ReadonlyMap<number, number>): void {
    const old = this.#renewTable(from.ops);
    const held = new NodeCopy(old, this.#table);
    const filled = new NodeCopy(from, this.#table);
    for (let node = 0; node < old.size; node++) {
      const place = places.get(node);
      const counter = old.counter.get(node);
      if (place === undefined) held.copy(node, counter);
      else filled.copy(place, counter);
    }
  }

  /** Keeps nothing of these nodes but their headers; those that `isCopied` says it has copied are kept as it has. Numbers of nodes, keys and authors stay, those of ops do not. */
  withhold(
    nodes: { has(node: number): boolean },
    isCopied: (copy: NodeCopy, node: number, counter: number) => boolean = () => false,
  ): void {
    const old = this.#renewTable(0);
    const copy = new NodeCopy(old, this.#table);
    for (let node = 0; node < old.size; node++) {
      const counter = old.counter.get(node);
      if (isCopied(copy, node, counter)) continue;
      if (nodes.has(node)) copy.copyHeader(node, counter);
      else copy.copy(node, counter);
    }
  }

  /** How many nodes are packed. */
  get packed(): number {
    return this.lamport.packed?.length ?? 0;
  }

  /** Forgets all nodes; answers the table that has them. Keys and identities keep their numbers. */
  empty(): NodeTable {
    for (const column of [this.lamport, this.chain, this.index, this.#covered]) column.truncate(0);
    this.chains.length = this.#chainsOf.length = this.#settled = 0;
    this.heads.clear();
    return this.#renewTable(0);
  }

  #renewTable(ops: number): NodeTable {
    const old = this.#table;
    this.#table = new NodeTable(old.size, old.ops + ops, old.keys);
    for (const identity of old.identities.list) this.#table.identities.number(identity);
    return old;
  }

  /** What was added stays. */
  settle(): void {
    this.#settled = this.size;
    this.#covered.truncate(0);
  }

  /** Takes back what was added since `settle`. */
  rewind(): void {
    for (let i = this.#covered.length - 1; i > 0; i -= 2) this.heads.add(this.#covered.values[i]!);
    this.#covered.truncate(0);
    for (let node = this.size - 1; node >= this.#settled; node--) {
      this.heads.delete(node);
      const { nodes, identity } = this.chains[this.chain.get(node)]!;
      nodes.truncate(nodes.length - 1);
      if (nodes.length > 0) continue;
      this.chains.pop();
      this.#chainsOf[identity]!.length--;
    }
    for (const column of [this.lamport, this.chain, this.index]) column.truncate(this.#settled);
    this.table.truncate(this.#settled);
  }
}

/** Marks the nodes, and everything that they stand on. */
export function withAncestors(graph: Graph, nodes: Iterable<number>): Uint8Array {
  const marked = new Uint8Array(graph.size);
  const waiting = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (marked[node] === 1) continue;
    marked[node] = 1;
    waiting.push(...graph.ancestors(node));
  }
  return marked;
}
