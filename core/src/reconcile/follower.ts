/** How far cells have followed a graph's settled nodes, in the order of its log. */
import { IntColumn } from '../codec/bytes/columns.js';
import type { Graph } from '../graph/graph.js';
import type { Cells, CellsOf } from './cells.js';

export class Follower {
  readonly #graph: Graph;
  readonly #chosen = new IntColumn(32);
  #taken = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Ids are taken by as many of their first words as the cells have. */
  follow(cells: Cells, cellsOf: CellsOf): void {
    this.#toggle(cells, cellsOf, this.#taken, this.#graph.settled, 1);
    this.#taken = this.#graph.settled;
  }

  /** Takes the nodes from `size` on out of a copy of the first cells. */
  withdraw(cells: Cells, cellsOf: CellsOf, size: number): void {
    this.#toggle(cells, cellsOf, size, this.#taken, -1);
  }

  #toggle(cells: Cells, cellsOf: CellsOf, from: number, to: number, sign: 1 | -1): void {
    const chosen = this.#chosen;
    const { table } = this.#graph;
    for (let node = from; node < to; node++) {
      chosen.length = 0;
      const words = table.idWords(node);
      const at = table.idAt(node);
      cellsOf(words, at, cells.length, chosen);
      cells.toggle(words, at, chosen, sign);
    }
  }
}
