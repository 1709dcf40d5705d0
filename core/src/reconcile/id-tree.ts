/**
 * A Merkle tree over the ids of a graph, for `mst-request`. [RC3]
 *
 * It is the tree of the state hash, over ids in place of keys: 16 ways by the nibbles of the id, and a subtree with a
 * single id is that id. The set of ids alone decides its hashes. It follows the graph, and only what changed since is
 * hashed again: 105 bytes and 1 µs for each node, in rooms that are asked for it.
 */
import { toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { digestBytes } from '../codec/sha256/words.js';
import { StateTree } from '../crdt/state-tree/state-tree.js';
import type { Graph } from '../graph/graph.js';

/** What every id is mapped to. It keeps these hashes apart from those of the state. */
const MEMBER = sha256(toUtf8('weft-id-tree-v1'));
/** The root of no ids. */
export const NO_HASH = '0'.repeat(64);
const NIBBLES = '0123456789abcdef';
const PATH = /^[0-9a-f]{0,64}$/;

/** A node of the tree. One id alone is a leaf, whose hash is that id. */
export interface TreeElement {
  /** Nibbles from the root. */
  readonly path: string;
  readonly hash: string;
  readonly children: Record<string, string>;
  readonly keys: string[];
}

export class IdTree {
  readonly #graph: Graph;
  readonly #tree = new StateTree();
  #taken = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  get memory(): number {
    return this.#tree.memory;
  }

  get size(): number {
    this.#follow();
    return this.#tree.size;
  }

  /** Root hash in hex; zeros for no ids. */
  get root(): string {
    return this.describe('')?.hash ?? NO_HASH;
  }

  /** The node at a path; undefined where none stands, or for what is no path. */
  describe(path: string): TreeElement | undefined {
    if (!PATH.test(path)) return undefined;
    this.#follow();
    const nibbles = Array.from(path, (nibble) => NIBBLES.indexOf(nibble));
    const seen = this.#tree.look(nibbles);
    if (!seen) return path === '' ? undefined : this.#leafAt(path, nibbles);
    const taken = seen.slots.flatMap((slot, nibble) => (slot ? ([[NIBBLES[nibble]!, toHex(slot.name)]] as const) : []));
    if (taken.length === 0) return undefined;
    // The root is the only node that may have a single leaf, and then it is that leaf.
    if (this.#tree.size === 1) return leaf(path, taken[0]![1]);
    return { path, hash: toHex(seen.hash), children: Object.fromEntries(taken), keys: [] };
  }

  /** Elements at the paths that lead to a node. */
  describeEach(paths: readonly string[]): TreeElement[] {
    return paths.flatMap((path) => this.describe(path) ?? []);
  }

  /** The element at a path, or the only id below it where its leaf stands further up. */
  under(path: string): TreeElement | undefined {
    for (let cut = path.length; cut >= 0; cut--) {
      const element = this.describe(path.slice(0, cut));
      if (!element) continue;
      if (cut === path.length) return element;
      return element.keys[0]?.startsWith(path) ? leaf(path, element.keys[0]) : undefined;
    }
    return undefined;
  }

  /** All ids below a path, in order. */
  *below(path: string): Generator<string> {
    const element = this.under(path);
    if (!element) return;
    yield* element.keys;
    for (const nibble of Object.keys(element.children).sort()) yield* this.below(path + nibble);
  }

  #leafAt(path: string, nibbles: readonly number[]): TreeElement | undefined {
    const slot = this.#tree.look(nibbles.slice(0, -1))?.slots[nibbles.at(-1)!];
    return slot?.isLeaf && this.#tree.size > 1 ? leaf(path, toHex(slot.name)) : undefined;
  }

  #follow(): void {
    const { table, settled } = this.#graph;
    for (; this.#taken < settled; this.#taken++)
      this.#tree.set(digestBytes(table.idWords(this.#taken), table.idAt(this.#taken)), MEMBER);
  }
}

function leaf(path: string, id: string): TreeElement {
  return { path, hash: id, children: {}, keys: [id] };
}
