/**
 * An incremental Merkle tree over a map from 32-byte paths (the SHA-256 of a key) to 32-byte leaf hashes.
 *
 * Invariants: the root depends on the map alone, never on the history of sets and deletes. A reference
 * to a node whose hash is out of date is marked, and so is every reference above it: `set` and `delete`
 * only mark, `root` hashes what is marked, so a thousand changes cost their thousand paths once.
 *
 * 16-ary, in typed arrays, about 85 bytes per key; no walk recurses, whatever the paths are.
 */
import { byPrefix } from './by-prefix.js';
import { Entries } from './entries.js';
import { HASH_BYTES, LEAF_BYTES, MAX_DEPTH, PATH_BYTES, SLOTS, hashBody, nibbleAt } from './node-body.js';
import { ProofWriter } from './proof.js';
import { buildNodes } from './tree-building.js';
import { NOTHING, TreeNodes, innerIn, isDirtyNode, leafIn, nodeOf, toDirtyNode } from './tree-nodes.js';

/** Paths from which on their order is worth a pass over all prefixes. */
const MANY = 1024;

// For one call at a time: the nodes from the root down to where the last walk ended, the slots that `#rehash` has come
// to, the entry that is set, and the leaf that is parted from it or moves up.
const trail = new Int32Array(MAX_DEPTH);
const slots = new Uint8Array(MAX_DEPTH);
const given = new Entries(1);
const parted = new Entries(1);

/** What stands in a slot of a node: another node by its hash, or a leaf by its path. */
export interface Slot {
  readonly isLeaf: boolean;
  readonly name: Uint8Array;
}

export class StateTree {
  readonly #nodes = new TreeNodes();
  #size = 0;
  #root = this.#nodes.addWith(0);
  #rootIsDirty = true;
  readonly #hash = new Uint8Array(HASH_BYTES);
  /** How many steps the last walk went. */
  #depth = 0;

  get size(): number {
    return this.#size;
  }

  /** Bytes held for nodes and leaves, including what is free for reuse. */
  get memory(): number {
    return this.#nodes.memory;
  }

  set(path: Uint8Array, leaf: Uint8Array): void {
    checkLength('path', path);
    checkLength('leaf', leaf);
    given.bytes.set(path);
    given.bytes.set(leaf, PATH_BYTES);
    this.#put(given, 0);
  }

  /** The first `count` of these; no path twice. */
  setAll(entries: Entries, count: number): void {
    if (this.#size === 0 && count >= MANY) return this.#build(entries, count);
    const order = count < MANY ? undefined : byPrefix(entries, count).order;
    for (let i = 0; i < count; i++) this.#put(entries, order ? order[i]! : i);
  }

  get(path: Uint8Array): Uint8Array | undefined {
    checkLength('path', path);
    const slot = this.#walk(path, 0);
    if (!this.#isAt(slot, path, 0)) return undefined;
    this.#nodes.readLeaf(trail[this.#depth]!, slot, given, 0);
    return given.bytes.slice(PATH_BYTES);
  }

  /** False when there is no such path. */
  delete(path: Uint8Array): boolean {
    checkLength('path', path);
    const slot = this.#walk(path, 0);
    if (!this.#isAt(slot, path, 0)) return false;
    this.#size--;
    let depth = this.#depth;
    trail[depth] = this.#nodes.turn(trail[depth]!, slot, 0);
    for (; depth > 0; depth--) {
      const only = this.#nodes.onlyLeaf(trail[depth]!);
      if (only === SLOTS) break;
      this.#nodes.readLeaf(trail[depth]!, only, parted, 0);
      this.#nodes.release(trail[depth]!);
      this.#turnToLeaf(depth - 1, nibbleAt(path, 0, depth - 1), parted, 0);
    }
    this.#mark(path, 0, depth);
    return true;
  }

  /** 32 bytes, a copy. */
  root(): Uint8Array {
    this.#rehash();
    return this.#hash.slice();
  }

  /** Shows whether the path is in the map, and with which leaf; `verifyProof` checks it against the root. */
  prove(path: Uint8Array): Uint8Array {
    checkLength('path', path);
    this.#rehash();
    this.#walk(path, 0);
    const proof = new ProofWriter(path);
    for (let depth = 0; depth <= this.#depth; depth++) {
      proof.addBody(this.#nodes.layOut(trail[depth]!), nibbleAt(path, 0, depth));
    }
    return proof.finish();
  }

  #build(entries: Entries, count: number): void {
    const empty = this.#root;
    this.#root = buildNodes(this.#nodes, entries, count);
    this.#nodes.release(empty);
    this.#size = count;
    this.#rootIsDirty = true;
  }

  /** The hash of the node that these nibbles lead to, and its slots; undefined where no node stands. */
  look(nibbles: readonly number[]): { hash: Uint8Array; slots: (Slot | undefined)[] } | undefined {
    this.#rehash();
    let node = this.#root;
    let hash: Uint8Array = this.#hash.slice();
    for (const nibble of nibbles) {
      const child = this.#nodes.child(node, nibble);
      if (child === NOTHING) return undefined;
      hash = this.#nodes.entryName(node, nibble);
      node = nodeOf(child);
    }
    return { hash, slots: Array.from({ length: SLOTS }, (_, slot) => this.#slot(node, slot)) };
  }

  #slot(node: number, slot: number): Slot | undefined {
    const isLeaf = this.#nodes.hasLeaf(node, slot);
    if (!isLeaf && this.#nodes.child(node, slot) === NOTHING) return undefined;
    return { isLeaf, name: this.#nodes.entryName(node, slot) };
  }

  #put(entries: Entries, entry: number): void {
    const { bytes } = entries;
    const at = entry * LEAF_BYTES;
    const slot = this.#walk(bytes, at);
    const depth = this.#depth;
    if (this.#isAt(slot, bytes, at)) {
      if (!this.#nodes.writeLeaf(trail[depth]!, slot, entries, entry)) return;
    } else {
      if (this.#nodes.hasLeaf(trail[depth]!, slot)) this.#part(slot, entries, entry);
      else this.#turnToLeaf(depth, slot, entries, entry);
      this.#size++;
    }
    this.#mark(bytes, at, depth);
  }

  /** Goes down until there is no node to go on to, and returns the slot there: with a leaf, perhaps another's, or nothing. */
  #walk(bytes: Uint8Array, pathAt: number): number {
    let node = this.#root;
    for (let depth = 0; ; depth++) {
      trail[depth] = node;
      const slot = nibbleAt(bytes, pathAt, depth);
      const child = this.#nodes.child(node, slot);
      if (child === NOTHING) {
        this.#depth = depth;
        return slot;
      }
      node = nodeOf(child);
    }
  }

  /** Whether the last walk's slot holds the leaf of this very path. */
  #isAt(slot: number, bytes: Uint8Array, pathAt: number): boolean {
    const node = trail[this.#depth]!;
    return this.#nodes.hasLeaf(node, slot) && this.#nodes.hasPath(node, slot, bytes, pathAt);
  }

  #turnToLeaf(depth: number, slot: number, entries: Entries, entry: number): void {
    const node = this.#nodes.turn(trail[depth]!, slot, leafIn(slot));
    this.#nodes.writeLeaf(node, slot, entries, entry);
    trail[depth] = node;
  }

  /** The walk ended at another's leaf: in its place come the nodes that part the two, built from the bottom. */
  #part(slot: number, entries: Entries, entry: number): void {
    const nodes = this.#nodes;
    const end = this.#depth;
    const slotAt = (depth: number): number => nibbleAt(entries.bytes, entry * LEAF_BYTES, depth);
    nodes.readLeaf(trail[end]!, slot, parted, 0);
    let depth = end + 1;
    while (nibbleAt(parted.bytes, 0, depth) === slotAt(depth)) depth++;
    const other = nibbleAt(parted.bytes, 0, depth);
    let below = nodes.addWith(leafIn(slotAt(depth)) | leafIn(other));
    nodes.writeLeaf(below, slotAt(depth), entries, entry);
    nodes.writeLeaf(below, other, parted, 0);
    for (depth--; depth >= end; depth--) {
      const inner = innerIn(slotAt(depth));
      const node = depth > end ? nodes.addWith(inner) : nodes.turn(trail[end]!, slot, inner);
      nodes.setChild(node, slotAt(depth), toDirtyNode(below));
      below = node;
    }
    trail[end] = below;
  }

  /** Marks the references of the trail to the nodes at `depth` and above; one of them may have moved, at `depth`. */
  #mark(bytes: Uint8Array, pathAt: number, depth: number): void {
    this.#rootIsDirty = true;
    for (let above = depth - 1; above >= 0; above--) {
      const node = trail[above]!;
      const slot = nibbleAt(bytes, pathAt, above);
      const wasDirty = isDirtyNode(this.#nodes.child(node, slot));
      this.#nodes.setChild(node, slot, toDirtyNode(trail[above + 1]!));
      if (wasDirty) return;
    }
    this.#root = trail[0]!;
  }

  /** Children before parents; a mark is taken off only when the hash below it is there. */
  /** A part of what the next `root` has to do: so many nodes. Answers whether more is left. */
  advance(most: number): boolean {
    this.#rehash(most);
    return this.#rootIsDirty;
  }

  #rehash(most = Infinity): void {
    if (!this.#rootIsDirty) return;
    let left = most;
    const nodes = this.#nodes;
    trail[0] = this.#root;
    slots[0] = 0;
    for (let depth = 0; depth >= 0;) {
      const node = trail[depth]!;
      const slot = nodes.nextDirty(node, slots[depth]!);
      if (slot < SLOTS) {
        slots[depth] = slot;
        depth++;
        trail[depth] = nodeOf(nodes.child(node, slot));
        slots[depth] = 0;
        continue;
      }
      if (left-- === 0) return; // marks stay on what is left, and above it
      depth--;
      if (depth >= 0) nodes.rehashChild(trail[depth]!, slots[depth]!);
    }
    hashBody(nodes.layOut(this.#root), this.#hash, 0);
    this.#rootIsDirty = false;
  }
}

function checkLength(what: string, bytes: Uint8Array): void {
  if (bytes.length !== PATH_BYTES) throw new RangeError(`a ${what} is 32 bytes, not ${bytes.length}: pass its SHA-256`);
}
