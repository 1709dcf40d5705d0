/**
 * Chains where they have forked: what a counter means on which branch.
 *
 * Chain numbers are names of this replica: of two nodes on one `prev`, the first to come goes on with the chain. What
 * elements mean must not depend on that. Two answers are the same everywhere: which chain holds the element that a node
 * knows by a counter, because counters go along `prev` links; and the branch of an element, which is the nearest node
 * along `prev`, its own included, that has siblings, or the first of all.
 */
import type { Dag, Placed } from './dag.js';
import type { NodeId } from './node.js';

interface Fork {
  /** The first counter of the chain, and the chain that it branched off. */
  readonly counter: number;
  readonly from: number;
}

interface Branch {
  readonly counter: number;
  readonly index: number;
  readonly id: NodeId;
}

export class Branches {
  readonly #graph: Dag;
  readonly #nodes: Placed[][] = [];
  readonly #forks = new Map<number, Fork>();
  readonly #branches = new Map<number, Branch[]>();
  #onBranch: (chain: number, counter: number) => void = () => undefined;

  constructor(graph: Dag) {
    this.#graph = graph;
  }

  /** Call for each node, in log order. */
  add(placed: Placed): void {
    const { node, chain, index, counter } = placed;
    (this.#nodes[chain] ??= []).push(placed);
    if (index > 0) return;
    this.#branch(chain, { counter, index, id: node.id });
    const before = node.prev === undefined ? undefined : this.#graph.find(node.prev);
    if (!before) return;
    this.#forks.set(chain, { counter, from: before.chain });
    const sibling = this.#nodes[before.chain]?.[before.index + 1];
    const known = this.#branches.get(before.chain)?.some(({ id }) => id === sibling?.node.id);
    if (!sibling || known) return;
    this.#branch(before.chain, { counter: sibling.counter, index: sibling.index, id: sibling.node.id });
    this.#onBranch(before.chain, sibling.counter);
  }

  /** Tells when a chain turns out to have branched: from that counter on its elements have another branch than before. */
  onBranch(listener: (chain: number, counter: number) => void): void {
    this.#onBranch = listener;
  }

  /** The chain that holds the element which a node of `chain` knows by this counter: itself, or one it forked from. */
  chainOf(chain: number, counter: number): number {
    let at = chain;
    for (let fork = this.#forks.get(at); fork && counter < fork.counter; fork = this.#forks.get(at)) at = fork.from;
    return at;
  }

  /** Elements [first, last] as a node of `chain` counts them, piece by piece where they lie on chains it forked from. */
  *pieces(chain: number, first: number, last: number): Generator<{ chain: number; counter: number; count: number }> {
    for (let end = last; end >= first;) {
      const holder = this.chainOf(chain, end);
      const start = Math.max(first, this.#forks.get(holder)?.counter ?? 0);
      yield { chain: holder, counter: start, count: end - start + 1 };
      end = start - 1;
    }
  }

  /** The branch of an element that lies on `chain`. */
  branchOf(chain: number, counter: number): NodeId | undefined {
    for (let at: number | undefined = chain, upTo = counter; at !== undefined;) {
      const found = this.#branches.get(at)?.findLast((branch) => branch.counter <= upTo);
      if (found) return found.id;
      const fork: Fork | undefined = this.#forks.get(at);
      upTo = fork ? fork.counter - 1 : upTo;
      at = fork?.from;
    }
    return undefined;
  }

  /** Counters of a chain, ascending, at which another branch begins. */
  startsOf(chain: number): readonly number[] {
    return this.#branches.get(chain)?.map(({ counter }) => counter) ?? [];
  }

  #branch(chain: number, branch: Branch): void {
    const branches = this.#branches.get(chain) ?? [];
    this.#branches.set(chain, branches);
    branches.push(branch);
    branches.sort((a, b) => a.counter - b.counter || a.index - b.index);
  }
}
