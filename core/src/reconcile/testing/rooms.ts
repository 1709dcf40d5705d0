/** Rooms for tests and benches: nodes are written once, and each side holds those of them that it is given. */
import { compareIds } from '../../codec/nodes/compared-ids.js';
import { Identity } from '../../codec/nodes/identity.js';
import { identify } from '../../codec/nodes/node-id.js';
import { NONE } from '../../codec/nodes/node-table.js';
import { OP_SET } from '../../codec/nodes/op-kinds.js';
import { Graph } from '../../graph/graph.js';
import { Incoming } from '../../graph/incoming.js';

const ROOM = new Uint8Array(32).fill(7);

export class WrittenRoom {
  readonly graph = new Graph();
  /** The newest node of each author, or -1. */
  readonly #tips: number[] = [];
  readonly #key = this.graph.table.keys.number('k');

  /** By an author's number, on his newest node unless another one is named; answers the number of the node. */
  write(author: number, parents: readonly number[] = [], prev = this.#tips[author] ?? NONE): number {
    const { table } = this.graph;
    // Two nodes with the same links would be one.
    for (const byte of [0xce, table.size >>> 24, table.size >>> 16, table.size >>> 8, table.size])
      table.content.byte(byte);
    table.addOp(OP_SET, this.#key, NONE, 0, 0);
    for (const parent of this.#inOrder(parents.filter((node) => node !== prev))) table.parents.push(parent);
    const identity = table.identities.number(new Identity(ROOM, keyOf(author)));
    table.close(identity, prev, prev === NONE ? 0 : this.graph.counterAfter(prev));
    identify(table);
    this.#tips[author] = this.graph.append();
    return this.#tips[author];
  }

  tip(author: number): number {
    return this.#tips[author] ?? NONE;
  }

  #inOrder(nodes: readonly number[]): number[] {
    return [...new Set(nodes)].sort((a, b) => compareIds(this.graph.table, a, b));
  }

  /** A replica with the nodes for which it says so, and everything that they stand on. */
  replica(holds: (node: number) => boolean): Graph {
    const { table, size } = this.graph;
    const held = new Uint8Array(size);
    for (let node = size - 1; node >= 0; node--) {
      if (held[node] === 0 && !holds(node)) continue;
      held[node] = 1;
      for (const ancestor of this.graph.ancestors(node)) held[ancestor] = 1;
    }
    const graph = new Graph();
    const incoming = new Incoming(graph, table);
    for (let node = 0; node < size; node++) if (held[node] === 1) incoming.append(node);
    graph.settle();
    return graph;
  }
}

function keyOf(author: number): Uint8Array {
  const key = new Uint8Array(32).fill(1);
  new DataView(key.buffer).setUint32(0, author);
  return key;
}

/** Ids of all settled nodes, or of some, in hex, sorted. */
export function idsOf(graph: Graph, nodes: Iterable<number> = new Array(graph.settled).keys()): string[] {
  return Array.from(nodes, (node) => graph.idOf(node) as string).sort();
}

/** What the first holds and the second does not. */
export function lackedBy(graph: Graph, other: Graph): string[] {
  const held = new Set(idsOf(other));
  return idsOf(graph).filter((id) => !held.has(id));
}

/** Hands the nodes over, as a pack would. */
export function send(from: Graph, to: Graph, nodes: readonly number[]): void {
  const incoming = new Incoming(to, from.table);
  for (const node of nodes) if (incoming.number(node) < 0) incoming.append(node);
  to.settle();
}
