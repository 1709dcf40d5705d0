/**
 * An incremental Merkle tree over a map from 32-byte paths (the SHA-256 of a key) to 32-byte leaf hashes.
 *
 * Invariants: the root depends on the map alone, never on the history of sets and deletes. A reference
 * to a node whose hash is out of date is marked, and so is every reference above it: `set` and `delete`
 * only mark, `root` hashes what is marked, so a thousand changes cost their thousand paths once.
 *
 * 16-ary, in typed arrays, about 100 bytes per key; no walk recurses, whatever the paths are.
 */
import { LeafTable } from './leaf-table.js';
import { HASH_BYTES, MAX_DEPTH, PATH_BYTES, SLOTS, nibbleAt } from './node-body.js';
import {
  NOTHING,
  NodeTable,
  ROOT,
  isDirtyNode,
  isLeaf,
  isNode,
  leafOf,
  nodeOf,
  toDirtyNode,
  toLeaf,
} from './node-table.js';
import { ProofWriter } from './proof.js';

/** What stands in a slot of a node: another node by its hash, or a leaf by its path. */
export interface Slot {
  readonly isLeaf: boolean;
  readonly name: Uint8Array;
}

export class StateTree {
  readonly #nodes = new NodeTable();
  readonly #leaves = new LeafTable();
  #size = 0;
  #rootIsDirty = true;
  /** The nodes from the root down to where the last walk ended, and how many steps that was. */
  readonly #trail = new Int32Array(MAX_DEPTH);
  #depth = 0;

  /** From n paths and n leaf hashes, each 32 bytes, end to end; of equal paths the last one counts. */
  static build(paths: Uint8Array, leaves: Uint8Array): StateTree {
    if (paths.length % PATH_BYTES !== 0 || leaves.length !== paths.length) {
      throw new RangeError(`${paths.length} bytes of paths and ${leaves.length} of leaves are not pairs of 32`);
    }
    const tree = new StateTree();
    for (const entry of byPrefix(paths)) tree.#put(paths, entry * PATH_BYTES, leaves, entry * HASH_BYTES);
    return tree;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes held for nodes and leaves, including what is free for reuse. */
  get memory(): number {
    return this.#nodes.memory + this.#leaves.memory;
  }

  set(path: Uint8Array, leaf: Uint8Array): void {
    checkLength('path', path);
    checkLength('leaf', leaf);
    this.#put(path, 0, leaf, 0);
  }

  get(path: Uint8Array): Uint8Array | undefined {
    checkLength('path', path);
    const found = this.#walk(path, 0);
    return this.#isAt(found, path, 0) ? this.#leaves.hash(leafOf(found)) : undefined;
  }

  /** False when there is no such path. */
  delete(path: Uint8Array): boolean {
    checkLength('path', path);
    const found = this.#walk(path, 0);
    if (!this.#isAt(found, path, 0)) return false;
    this.#leaves.release(leafOf(found));
    this.#size--;
    let depth = this.#depth;
    this.#nodes.setChild(this.#nodeAt(depth), nibbleAt(path, 0, depth), NOTHING);
    while (depth > 0) {
      const node = this.#nodeAt(depth);
      const only = this.#nodes.onlyLeaf(node);
      if (only === NOTHING) break;
      depth--;
      this.#nodes.setChild(this.#nodeAt(depth), nibbleAt(path, 0, depth), only);
      this.#nodes.release(node);
    }
    this.#mark(path, 0, depth);
    return true;
  }

  /** 32 bytes, a copy. */
  root(): Uint8Array {
    this.#rehash();
    return this.#nodes.hash(ROOT);
  }

  /** Shows whether the path is in the map, and with which leaf; `verifyProof` checks it against the root. */
  prove(path: Uint8Array): Uint8Array {
    checkLength('path', path);
    this.#rehash();
    this.#walk(path, 0);
    const proof = new ProofWriter(path);
    for (let depth = 0; depth <= this.#depth; depth++) {
      const length = this.#nodes.layOut(this.#nodeAt(depth), this.#leaves);
      proof.addBody(length, nibbleAt(path, 0, depth));
    }
    return proof.finish();
  }

  /** The hash of the node that these nibbles lead to, and its slots; undefined where no node stands. */
  look(nibbles: readonly number[]): { hash: Uint8Array; slots: (Slot | undefined)[] } | undefined {
    this.#rehash();
    let node = ROOT;
    for (const nibble of nibbles) {
      const child = this.#nodes.child(node, nibble);
      if (!isNode(child)) return undefined;
      node = nodeOf(child);
    }
    const slots = Array.from({ length: SLOTS }, (_, slot) => this.#slot(this.#nodes.child(node, slot)));
    return { hash: this.#nodes.hash(node), slots };
  }

  #slot(child: number): Slot | undefined {
    if (child === NOTHING) return undefined;
    return isLeaf(child)
      ? { isLeaf: true, name: this.#leaves.path(leafOf(child)) }
      : { isLeaf: false, name: this.#nodes.hash(nodeOf(child)) };
  }

  #put(paths: Uint8Array, pathAt: number, hashes: Uint8Array, hashAt: number): void {
    const found = this.#walk(paths, pathAt);
    if (this.#isAt(found, paths, pathAt)) {
      if (!this.#leaves.setHash(leafOf(found), hashes, hashAt)) return;
    } else {
      const added = this.#leaves.add(paths, pathAt, hashes, hashAt);
      const child = found === NOTHING ? toLeaf(added) : this.#split(found, added);
      this.#nodes.setChild(this.#nodeAt(this.#depth), nibbleAt(paths, pathAt, this.#depth), child);
      this.#size++;
    }
    this.#mark(paths, pathAt, this.#depth);
  }

  /** Goes down until there is no node to go on to, and returns what is there: a leaf, perhaps another's, or nothing. */
  #walk(paths: Uint8Array, pathAt: number): number {
    let node = ROOT;
    for (let depth = 0; ; depth++) {
      this.#trail[depth] = node;
      const child = this.#nodes.child(node, nibbleAt(paths, pathAt, depth));
      if (!isNode(child)) {
        this.#depth = depth;
        return child;
      }
      node = nodeOf(child);
    }
  }

  #nodeAt(depth: number): number {
    return this.#trail[depth] as number;
  }

  #isAt(found: number, paths: Uint8Array, pathAt: number): boolean {
    return isLeaf(found) && this.#leaves.hasPath(leafOf(found), paths, pathAt);
  }

  /** The nodes below the walk's end that part a leaf from one just added, built from the bottom. */
  #split(held: number, added: number): number {
    let depth = this.#depth + 1;
    while (this.#leaves.nibble(leafOf(held), depth) === this.#leaves.nibble(added, depth)) depth++;
    let node = this.#nodes.add();
    this.#nodes.setChild(node, this.#leaves.nibble(leafOf(held), depth), held);
    this.#nodes.setChild(node, this.#leaves.nibble(added, depth), toLeaf(added));
    for (depth--; depth > this.#depth; depth--) {
      const above = this.#nodes.add();
      this.#nodes.setChild(above, this.#leaves.nibble(added, depth), toDirtyNode(node));
      node = above;
    }
    return toDirtyNode(node);
  }

  /** Marks the references of the trail to the nodes at `depth` and above. */
  #mark(paths: Uint8Array, pathAt: number, depth: number): void {
    this.#rootIsDirty = true;
    for (let above = depth - 1; above >= 0; above--) {
      const node = this.#nodeAt(above);
      const slot = nibbleAt(paths, pathAt, above);
      const child = this.#nodes.child(node, slot);
      if (isDirtyNode(child)) return;
      this.#nodes.setChild(node, slot, toDirtyNode(nodeOf(child)));
    }
  }

  /** Children before parents; a mark is taken off only when the hash below it is there. */
  #rehash(): void {
    if (!this.#rootIsDirty) return;
    const trail = this.#trail;
    const slots = new Uint8Array(MAX_DEPTH);
    trail[0] = ROOT;
    for (let depth = 0; depth >= 0;) {
      const node = this.#nodeAt(depth);
      const slot = this.#nodes.nextDirty(node, slots[depth] as number);
      slots[depth] = slot;
      if (slot < SLOTS) {
        depth++;
        trail[depth] = nodeOf(this.#nodes.child(this.#nodeAt(depth - 1), slot));
        slots[depth] = 0;
        continue;
      }
      this.#nodes.rehash(node, this.#leaves);
      depth--;
      if (depth >= 0) this.#nodes.setChild(this.#nodeAt(depth), slots[depth] as number, node);
    }
    this.#rootIsDirty = false;
  }
}

function checkLength(what: string, bytes: Uint8Array): void {
  if (bytes.length !== PATH_BYTES) throw new RangeError(`a ${what} is 32 bytes, not ${bytes.length}: pass its SHA-256`);
}

/** The entries by their first 16 bits, else as given: neighbours in the tree become neighbours in memory. */
function byPrefix(paths: Uint8Array): Int32Array {
  const count = paths.length / PATH_BYTES;
  const ends = new Int32Array(0x1_0000);
  for (let at = 0; at < paths.length; at += PATH_BYTES) ends[prefixAt(paths, at)] = countAt(ends, paths, at) + 1;
  for (let prefix = 1; prefix < ends.length; prefix++) {
    ends[prefix] = (ends[prefix] as number) + (ends[prefix - 1] as number);
  }
  const order = new Int32Array(count);
  for (let entry = count - 1; entry >= 0; entry--) {
    const place = countAt(ends, paths, entry * PATH_BYTES) - 1;
    ends[prefixAt(paths, entry * PATH_BYTES)] = place;
    order[place] = entry;
  }
  return order;
}

function countAt(ends: Int32Array, paths: Uint8Array, at: number): number {
  return ends[prefixAt(paths, at)] as number;
}

function prefixAt(paths: Uint8Array, at: number): number {
  return ((paths[at] as number) << 8) | (paths[at + 1] as number);
}
