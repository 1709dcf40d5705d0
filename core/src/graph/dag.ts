/**
 * The causal graph of one room: nodes in log order, their clocks, their chains, and the heads.
 *
 * A chain is an author's nodes linked by `prev`. Two nodes on one `prev` are a fork: here the first to come goes on with
 * the chain and each other one begins a chain, but that is bookkeeping of this replica. Elements of texts and lists are
 * counted along `prev` links, so what a node means by a counter does not depend on which branch came first.
 *
 * Invariant: every ancestor of a held node is held. Adding costs O(parents).
 */
import { elementsOf } from '../codec/op.js';
import { type Node, type NodeId, type PublicKey, ancestorsOf } from './node.js';

export interface Placed {
  readonly node: Node;
  readonly lamport: number;
  /** Number of its chain in this graph: a local name, in order of first appearance. */
  readonly chain: number;
  /** Place on its chain, from 0. */
  readonly index: number;
  /** Elements inserted before this node along its `prev` links. */
  readonly counter: number;
  /** Elements that this node inserts. */
  readonly elements: number;
}

export class Dag {
  readonly #base: Dag | undefined;
  readonly #placed = new Map<NodeId, Placed>();
  readonly #tips = new Map<PublicKey, NodeId>();
  readonly #chainTips: Map<number, Placed> = new Map();
  readonly #heads: Set<NodeId>;
  readonly #order: Placed[] = [];
  #chains: number;

  /** With a base, this is a batch laid over it: what the graph will be once the batch is durable. */
  constructor(base?: Dag) {
    this.#base = base;
    this.#heads = new Set(base?.heads);
    this.#chains = base?.chains ?? 0;
  }

  /** Nodes added here, without those of the base. */
  get size(): number {
    return this.#order.length;
  }

  /** Chains there are, those of the base included. */
  get chains(): number {
    return this.#chains;
  }

  get heads(): ReadonlySet<NodeId> {
    return this.#heads;
  }

  find(id: NodeId): Placed | undefined {
    return this.#placed.get(id) ?? this.#base?.find(id);
  }

  /** The newest node of an author. */
  tip(author: PublicKey): NodeId | undefined {
    return this.#tips.get(author) ?? this.#base?.tip(author);
  }

  chainTip(chain: number): Placed | undefined {
    return this.#chainTips.get(chain) ?? this.#base?.chainTip(chain);
  }

  /** Where a node on `prev` will stand. */
  next(prev: NodeId | undefined): { readonly chain: number; readonly index: number; readonly counter: number } {
    const before = prev === undefined ? undefined : this.find(prev);
    const goesOn = before !== undefined && this.chainTip(before.chain)?.node.id === prev;
    const counter = before ? before.counter + before.elements : 0;
    if (!goesOn) return { chain: this.#chains, index: 0, counter };
    return { chain: before.chain, index: before.index + 1, counter };
  }

  add(node: Node): Placed {
    let lamport = 1;
    for (const ancestor of ancestorsOf(node)) {
      lamport = Math.max(lamport, (this.find(ancestor)?.lamport ?? 0) + 1);
      this.#heads.delete(ancestor);
    }
    const elements = node.ops.reduce((sum, op) => sum + elementsOf(op), 0);
    const placed = { node, lamport, elements, ...this.next(node.prev) };
    this.#chains = Math.max(this.#chains, placed.chain + 1);
    this.#chainTips.set(placed.chain, placed);
    this.#heads.add(node.id);
    this.#placed.set(node.id, placed);
    this.#tips.set(node.author, node.id);
    this.#order.push(placed);
    return placed;
  }

  /** Nodes in the order in which they were added. */
  slice(from = 0, to = this.#order.length): readonly Placed[] {
    return this.#order.slice(from, to);
  }
}

/** The ids that the graph holds, with everything they stand on. */
export function withAncestors(graph: Dag, ids: Iterable<NodeId>): Set<NodeId> {
  const found = new Set<NodeId>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const placed = found.has(id) ? undefined : graph.find(id);
    if (!placed) continue;
    found.add(id);
    waiting.push(...ancestorsOf(placed.node));
  }
  return found;
}
