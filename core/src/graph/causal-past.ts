/**
 * What a node's author knew: how far each chain lies in a node's causal past.
 *
 * Only nodes that join chains widen what is known, so the answer for a chain is kept per joining node, and only for
 * chains that somebody asks about. The table of a chain is filled in log order and grows with the graph: asking costs
 * O(log joins) once it is filled, filling costs O(parents of joins), once per chain asked about.
 */
import { IntColumn } from '../codec/bytes/columns.js';
import { NONE } from '../codec/nodes/node-table.js';
import type { Graph } from './graph.js';
import { lastAtMost } from './last-at-most.js';

interface ChainJoins {
  /** Indices on the chain of nodes at which it joins others, ascending. */
  readonly indices: IntColumn;
  /** Numbers of these among all joins. */
  readonly numbers: IntColumn;
}

export class CausalPast {
  readonly #graph: Graph;
  /** The node of each join, and the join before it on the same chain or -1. */
  readonly #nodes = new IntColumn();
  readonly #before = new IntColumn();
  readonly #chains: (ChainJoins | undefined)[] = [];
  /** Per chain asked about, the greatest known index at each join. */
  readonly #known = new Map<number, IntColumn>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  clear(): void {
    this.#nodes.truncate(0);
    this.#before.truncate(0);
    this.#chains.length = 0;
    this.#known.clear();
  }

  /** Call for each node, in log order. */
  add(node: number): void {
    const { table } = this.#graph;
    const index = this.#graph.index.get(node);
    const begins = index === 0 && table.prev.get(node) !== NONE;
    if (!begins && table.parentsEnd.get(node) === table.firstParent(node)) return;
    const chain = this.#graph.chain.get(node);
    const joins = (this.#chains[chain] ??= { indices: new IntColumn(4), numbers: new IntColumn(4) });
    this.#before.push(joins.numbers.length === 0 ? -1 : joins.numbers.values[joins.numbers.length - 1]!);
    joins.indices.push(index);
    joins.numbers.push(this.#nodes.length);
    this.#nodes.push(node);
  }

  /** Whether `ancestor` is `node` itself or lies in its past. */
  includes(node: number, ancestor: number): boolean {
    return this.#knownAt(node, this.#graph.chain.get(ancestor)) >= this.#graph.index.get(ancestor);
  }

  /** The greatest index of `chain` that is known at a node; -1 for none of it. */
  #knownAt(node: number, chain: number): number {
    if (this.#graph.chain.get(node) === chain) return this.#graph.index.get(node);
    const join = this.#joinAt(node);
    if (join === -1) return -1;
    let known = this.#known.get(chain);
    if (!known) this.#known.set(chain, (known = new IntColumn()));
    while (known.length <= join) known.push(this.#fill(known.length, chain, known));
    return known.values[join]!;
  }

  /** The last join of the node's chain at or before it. */
  #joinAt(node: number): number {
    const joins = this.#chains[this.#graph.chain.get(node)];
    if (!joins) return -1;
    const found = lastAtMost(joins.indices, this.#graph.index.get(node));
    return found < 0 ? -1 : joins.numbers.values[found]!;
  }

  /** Every join that a parent leads to stands earlier in log order, so its entry is filled. */
  #fill(join: number, chain: number, known: IntColumn): number {
    const { table, index } = this.#graph;
    const node = this.#nodes.values[join]!;
    const before = this.#before.values[join]!;
    let greatest = before === -1 ? -1 : known.values[before]!;
    if (index.get(node) === 0 && table.prev.get(node) !== NONE)
      greatest = Math.max(greatest, this.#filledAt(table.prev.get(node), chain, known));
    for (let i = table.firstParent(node); i < table.parentsEnd.get(node); i++)
      greatest = Math.max(greatest, this.#filledAt(table.parents.get(i), chain, known));
    return greatest;
  }

  #filledAt(node: number, chain: number, known: IntColumn): number {
    if (this.#graph.chain.get(node) === chain) return this.#graph.index.get(node);
    const join = this.#joinAt(node);
    return join === -1 ? -1 : known.values[join]!;
  }
}
