/**
 * The causal graph of one room: nodes in log order, their lamports, and the heads.
 *
 * Invariant: every ancestor of a held node is held. Adding costs O(parents).
 */
import { type Node, type NodeId, type PublicKey, ancestorsOf } from './node.js';

export interface Placed {
  readonly node: Node;
  readonly lamport: number;
}

export class Dag {
  readonly #base: Dag | undefined;
  readonly #placed = new Map<NodeId, Placed>();
  readonly #tips = new Map<PublicKey, NodeId>();
  readonly #heads: Set<NodeId>;
  readonly #order: Node[] = [];

  /** With a base, this is a batch laid over it: what the graph will be once the batch is durable. */
  constructor(base?: Dag) {
    this.#base = base;
    this.#heads = new Set(base?.heads);
  }

  /** Nodes added here, without those of the base. */
  get size(): number {
    return this.#order.length;
  }

  get heads(): ReadonlySet<NodeId> {
    return this.#heads;
  }

  find(id: NodeId): Placed | undefined {
    return this.#placed.get(id) ?? this.#base?.find(id);
  }

  /** The newest node of an author's chain. */
  tip(author: PublicKey): NodeId | undefined {
    return this.#tips.get(author) ?? this.#base?.tip(author);
  }

  add(node: Node): Placed {
    let lamport = 1;
    for (const ancestor of ancestorsOf(node)) {
      lamport = Math.max(lamport, (this.find(ancestor)?.lamport ?? 0) + 1);
      this.#heads.delete(ancestor);
    }
    const placed = { node, lamport };
    this.#heads.add(node.id);
    this.#placed.set(node.id, placed);
    this.#tips.set(node.author, node.id);
    this.#order.push(node);
    return placed;
  }

  /** Nodes in the order in which they were added. */
  slice(from = 0, to = this.#order.length): readonly Node[] {
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
