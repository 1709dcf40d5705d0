/**
 * Chains where they have forked: what a counter means on which branch.
 *
 * Chain numbers are names of this replica: of two nodes on one `prev`, the first to come goes on with the chain. What
 * elements mean must not depend on that. Two answers are the same everywhere: which chain holds the element that a node
 * knows by a counter, because counters go along `prev` links; and the branch of an element, which is the nearest node
 * along `prev`, its own included, that has siblings, or the first of all.
 */
import type { Graph } from './graph.js';

interface Branch {
  readonly counter: number;
  readonly index: number;
  readonly node: number;
}

export class Branches {
  readonly #graph: Graph;
  readonly #branches: Branch[][] = [];
  #onBranch: (chain: number, counter: number) => void = () => undefined;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  clear(): void {
    this.#branches.length = 0;
  }

  /** Call for each node, in log order. */
  add(node: number): void {
    const { table, chains, index } = this.#graph;
    if (index.get(node) > 0) return;
    const chain = this.#graph.chain.get(node);
    this.#branch(chain, node);
    const { from } = chains[chain]!;
    if (from < 0) return;
    const sibling = chains[from]!.nodes.get(index.get(table.prev.get(node)) + 1);
    if (this.#branches[from]?.some((branch) => branch.node === sibling)) return;
    this.#branch(from, sibling);
    this.#onBranch(from, table.counter.get(sibling));
  }

  /** Tells when a chain turns out to have branched: from that counter on its elements have another branch than before. */
  onBranch(listener: (chain: number, counter: number) => void): void {
    this.#onBranch = listener;
  }

  /** The chain that holds the element which a node of `chain` knows by this counter: itself, or one it forked from. */
  chainOf(chain: number, counter: number): number {
    const { chains } = this.#graph;
    let at = chain;
    for (let held = chains[at]!; held.from >= 0 && counter < held.base; held = chains[at]!) at = held.from;
    return at;
  }

  /** Elements [first, last] as a node of `chain` counts them, piece by piece where they lie on chains it forked from. */
  *pieces(chain: number, first: number, last: number): Generator<{ chain: number; counter: number; count: number }> {
    for (let end = last; end >= first;) {
      const holder = this.chainOf(chain, end);
      const start = Math.max(first, this.#graph.chains[holder]!.base);
      yield { chain: holder, counter: start, count: end - start + 1 };
      end = start - 1;
    }
  }

  /** The node that begins the branch of an element of `chain`; -1 when there is none. */
  branchOf(chain: number, counter: number): number {
    for (let at = chain, upTo = counter; at >= 0;) {
      const found = this.#branches[at]?.findLast((branch) => branch.counter <= upTo);
      if (found) return found.node;
      const { base, from } = this.#graph.chains[at]!;
      if (from >= 0) upTo = base - 1;
      at = from;
    }
    return -1;
  }

  /** The counter at which the branch of an element of `chain` begins on that chain; 0 when it does before. */
  startOf(chain: number, counter: number): number {
    const branches = this.#branches[chain] ?? [];
    for (let i = branches.length - 1; i >= 0; i--) if (branches[i]!.counter <= counter) return branches[i]!.counter;
    return 0;
  }

  /** The counter at which the next branch begins; infinite when there is none. */
  endOf(chain: number, counter: number): number {
    const branches = this.#branches[chain] ?? [];
    for (const branch of branches) if (branch.counter > counter) return branch.counter;
    return Infinity;
  }

  #branch(chain: number, node: number): void {
    const branches = (this.#branches[chain] ??= []);
    branches.push({ counter: this.#graph.table.counter.get(node), index: this.#graph.index.get(node), node });
    branches.sort((a, b) => a.counter - b.counter || a.index - b.index);
  }
}
