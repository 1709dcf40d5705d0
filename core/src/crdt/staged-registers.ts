/** Registers of a batch: what hosts look at before it is durable. */
import type { Graph } from '../graph/graph.js';
import { type RegisterView, type Registers, beats, isRegisterOp, readValue, valueOf } from './registers.js';

/** Registers as they will be: nodes that are not durable yet, laid over those that are. */
export class StagedRegisters implements RegisterView {
  readonly #graph: Graph;
  readonly #base: Registers;
  readonly #winners = new Map<number, { readonly node: number; readonly op: number }>();
  #next: number;

  constructor(graph: Graph, base: Registers) {
    this.#graph = graph;
    this.#base = base;
    this.#next = graph.settled;
  }

  get(name: string): unknown {
    while (this.#next < this.#graph.size) this.#stage(this.#next++);
    const key = this.#graph.table.keys.find(name);
    if (key === undefined) return undefined;
    return readValue(valueOf(this.#graph, this.#winners.get(key)?.op ?? this.#base.opOf(key)));
  }

  #stage(node: number): void {
    const { table } = this.#graph;
    for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) {
      if (!isRegisterOp(table.kind(op)) || !this.#base.acts(node, op)) continue;
      const key = table.key(op);
      const held = this.#winners.get(key) ?? { node: this.#base.nodeOf(key), op: this.#base.opOf(key) };
      if (held.node < 0 || beats(this.#graph, node, op, held.node, held.op)) this.#winners.set(key, { node, op });
    }
  }
}
