/**
 * What a node's author knew: how far each chain lies in a node's causal past.
 *
 * Only nodes that join chains widen what is known, so the answer for a chain is kept per joining node, and only for
 * chains that somebody asks about. The table of a chain is filled in log order and grows with the graph: asking costs
 * O(log joins) once it is filled, filling costs O(parents of joins), once per chain asked about.
 */
import type { Dag, Placed } from './dag.js';

interface Join {
  readonly placed: Placed;
  /** Joins before this one on the same chain, the last of them; -1 for none. */
  readonly before: number;
}

export class CausalPast {
  readonly #graph: Dag;
  readonly #joins: Join[] = [];
  /** Per chain, its joins by their place on the chain: parallel arrays, ascending. */
  readonly #places: number[][] = [];
  readonly #numbers: number[][] = [];
  /** Per chain asked about, the greatest known index at each join. */
  readonly #known = new Map<number, number[]>();

  constructor(graph: Dag) {
    this.#graph = graph;
  }

  /** Call for each node, in log order. */
  add(placed: Placed): void {
    const { node, chain, index } = placed;
    const begins = index === 0 && node.prev !== undefined;
    if (node.parents.length === 0 && !begins) return;
    const places = (this.#places[chain] ??= []);
    const numbers = (this.#numbers[chain] ??= []);
    this.#joins.push({ placed, before: numbers.at(-1) ?? -1 });
    places.push(index);
    numbers.push(this.#joins.length - 1);
  }

  /** Whether `ancestor` is `placed` itself or lies in its past. */
  includes(placed: Placed, ancestor: Placed): boolean {
    return this.#knownAt(placed, ancestor.chain) >= ancestor.index;
  }

  /** The greatest index of `chain` that is known at a node; -1 for none of it. */
  #knownAt(placed: Placed, chain: number): number {
    if (placed.chain === chain) return placed.index;
    const join = this.#joinAt(placed);
    if (join === -1) return -1;
    const known = this.#known.get(chain) ?? [];
    this.#known.set(chain, known);
    while (known.length <= join) known.push(this.#fill(known.length, chain, known));
    return known[join] ?? -1;
  }

  /** The last join of the node's chain at or before it. */
  #joinAt({ chain, index }: Placed): number {
    const places = this.#places[chain];
    if (!places) return -1;
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? -1 : (this.#numbers[chain]?.[low - 1] ?? -1);
  }

  /** Every join that a parent leads to stands earlier in log order, so its entry is filled. */
  #fill(number: number, chain: number, known: readonly number[]): number {
    const join = this.#joins[number];
    if (!join) return -1;
    const { node, index } = join.placed;
    let greatest = join.before === -1 ? -1 : (known[join.before] ?? -1);
    const others = index === 0 && node.prev !== undefined ? [node.prev, ...node.parents] : node.parents;
    for (const id of others) {
      const parent = this.#graph.find(id);
      if (!parent) continue;
      const before = parent.chain === chain ? -1 : this.#joinAt(parent);
      const at = parent.chain === chain ? parent.index : before === -1 ? -1 : (known[before] ?? -1);
      greatest = Math.max(greatest, at);
    }
    return greatest;
  }
}
