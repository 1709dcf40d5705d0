/** How far cells have followed a graph's settled nodes, in the order of its log. */
import { IntColumn } from '../codec/bytes/columns.js';
import { DIGEST_WORDS } from '../codec/sha256/words.js';
import type { Graph } from '../graph/graph.js';
import type { Cells, PlacesOf } from './cells.js';

export class Follower {
  readonly #graph: Graph;
  readonly #places = new IntColumn(32);
  #taken = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Ids are taken by as many of their first words as the cells have. */
  follow(cells: Cells, placesOf: PlacesOf): void {
    this.#toggle(cells, placesOf, this.#taken, this.#graph.settled, 1);
    this.#taken = this.#graph.settled;
  }

  /** Takes the nodes from `size` on out of a copy of the first cells. */
  withdraw(cells: Cells, placesOf: PlacesOf, size: number): void {
    this.#toggle(cells, placesOf, size, this.#taken, -1);
  }

  #toggle(cells: Cells, placesOf: PlacesOf, from: number, to: number, sign: 1 | -1): void {
    const places = this.#places;
    const ids = this.#graph.table.ids.values;
    for (let node = from; node < to; node++) {
      places.length = 0;
      placesOf(ids, node * DIGEST_WORDS, cells.length, places);
      cells.toggle(ids, node * DIGEST_WORDS, places, sign);
    }
  }
}
