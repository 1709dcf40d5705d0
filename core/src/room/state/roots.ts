/**
 * Roots of a room, which speak for it wherever they write. What else may is said by the room's nodes: `Speakers` are asked for
 * that, once there is something to ask for. [MA3]
 */
import type { Vouched } from '../../access/word.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';

/** Who speaks for a room. */
export interface Speaking {
  /** Keys that speak wherever they write: those of the genesis, and none once they were changed. */
  readonly roots: ReadonlySet<string>;
  /** Id of the room's genesis; what other rooms' nodes say of keys counts too where it is not said. */
  readonly room: NodeId | undefined;
  /** Takes in what was added to the graph. */
  follow(): void;
  /** Nodes from `size` on were taken back. */
  truncate(size: number): void;
  /** Whether a held node is the authority's. */
  speaks(node: number): boolean;
  /** Whether somebody's word about this room counts, as far as is known here. */
  vouches(vouched: Vouched): boolean;
}

export class Roots implements Speaking {
  readonly roots: Set<string>;
  readonly room: NodeId;
  readonly #graph: Graph;
  /** Speakers, once they are needed. */
  all: Speaking | undefined;

  constructor(graph: Graph, roots: Set<string>, room: NodeId) {
    this.#graph = graph;
    this.roots = roots;
    this.room = room;
  }

  follow(): void {
    this.all?.follow();
  }

  truncate(size: number): void {
    this.all?.truncate(size);
  }

  speaks(node: number): boolean {
    return this.all ? this.all.speaks(node) : this.roots.has(this.#graph.authorOf(node));
  }

  vouches(vouched: Vouched): boolean {
    return this.all ? this.all.vouches(vouched) : this.roots.has(vouched.authority);
  }
}
