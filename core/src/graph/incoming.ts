/** Nodes of a pack on their way into a graph. */
import { NodeCopy } from '../codec/nodes/node-copy.js';
import { NONE, type NodeTable } from '../codec/nodes/node-table.js';
import type { Graph } from './graph.js';

export class Incoming {
  readonly #graph: Graph;
  readonly #copy: NodeCopy;

  constructor(graph: Graph, table: NodeTable) {
    this.#graph = graph;
    this.#copy = new NodeCopy(table, graph.table);
  }

  /** The graph's number for a node of the pack or one that it names, or -1 when it is not held. */
  number(ref: number): number {
    return this.#copy.placeOf(ref);
  }

  /** Adds a node whose ancestors are held and that is not; answers its number. */
  append(place: number): number {
    const { from: table } = this.#copy;
    for (let i = table.firstParent(place); i < table.parentsEnd.get(place); i++) this.#expect(table.parents.get(i));
    const ref = table.prev.get(place);
    this.#copy.copy(place, ref === NONE ? 0 : this.#graph.counterAfter(this.#expect(ref)));
    return this.#graph.append();
  }

  /** Adds the first nodes of the pack, each the `prev` of the next and of one author. */
  appendRun(nodes: number): void {
    const ref = this.#copy.from.prev.get(0);
    this.#copy.copyRun(nodes, ref === NONE ? 0 : this.#graph.counterAfter(this.#expect(ref)));
    this.#graph.appendRun(nodes);
  }

  #expect(ancestor: number): number {
    const number = this.number(ancestor);
    if (number < 0) throw new Error('a node comes before what it stands on');
    return number;
  }
}
