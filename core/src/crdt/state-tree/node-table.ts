/**
 * The nodes of a state tree: 16 references to children and the node's hash, 96 bytes each.
 *
 * A reference is 0 for nothing, negative for a leaf, positive for a node. Node 0 is the root, which
 * nothing refers to. The mark DIRTY in a reference says that the hash of the node it names is out of
 * date: it stands there and not in the node, so that walking past clean children never touches them.
 */
import { HASH_BYTES, HEADER_BYTES, SLOTS, bodyWords, hashBody, writeMaps } from './node-body.js';
import type { LeafTable } from './leaf-table.js';
import { CHUNK_MASK, CHUNK_SHIFT, SlotPool } from './slot-pool.js';

const HASH_WORDS = HASH_BYTES / 4;
const NODE_WORDS = SLOTS + HASH_WORDS;
const DIRTY = 1 << 30;

export const ROOT = 0;
export const NOTHING = 0;

export const isLeaf = (reference: number): boolean => reference < 0;
export const isNode = (reference: number): boolean => reference > 0;
export const isDirtyNode = (reference: number): boolean => reference >= DIRTY;
export const toLeaf = (leaf: number): number => ~leaf;
export const leafOf = (reference: number): number => ~reference;
export const toDirtyNode = (node: number): number => node | DIRTY;
export const nodeOf = (reference: number): number => reference & ~DIRTY;

export class NodeTable {
  readonly #pool = new SlotPool(NODE_WORDS);

  constructor() {
    this.add();
  }

  get memory(): number {
    return this.#pool.memory;
  }

  /** A node without children and without a valid hash. */
  add(): number {
    const node = this.#pool.take();
    const at = startOf(node);
    this.#chunkOf(node).fill(NOTHING, at, at + SLOTS);
    return node;
  }

  release(node: number): void {
    this.#pool.release(node);
  }

  child(node: number, slot: number): number {
    return this.#chunkOf(node)[startOf(node) + slot] as number;
  }

  setChild(node: number, slot: number, reference: number): void {
    this.#chunkOf(node)[startOf(node) + slot] = reference;
  }

  /** The reference to the leaf that is the only child, or nothing. */
  onlyLeaf(node: number): number {
    const words = this.#chunkOf(node);
    const at = startOf(node);
    let only = NOTHING;
    for (let slot = 0; slot < SLOTS; slot++) {
      const reference = words[at + slot] as number;
      if (reference === NOTHING) continue;
      if (only !== NOTHING || isNode(reference)) return NOTHING;
      only = reference;
    }
    return only;
  }

  /** The first slot from `slot` on that refers to a node to be hashed, or SLOTS. */
  nextDirty(node: number, slot: number): number {
    const words = this.#chunkOf(node);
    const at = startOf(node);
    let next = slot;
    while (next < SLOTS && !isDirtyNode(words[at + next] as number)) next++;
    return next;
  }

  /** Needs the hashes of all its children to be valid. */
  rehash(node: number, leaves: LeafTable): void {
    const length = this.layOut(node, leaves);
    hashBody(length, this.#pool.bytes[node >>> CHUNK_SHIFT] as Uint8Array, (startOf(node) + SLOTS) * 4);
  }

  /** A copy. */
  hash(node: number): Uint8Array {
    const at = (startOf(node) + SLOTS) * 4;
    return (this.#pool.bytes[node >>> CHUNK_SHIFT] as Uint8Array).slice(at, at + HASH_BYTES);
  }

  /** Writes the node into `body` and returns its length. */
  layOut(node: number, leaves: LeafTable): number {
    const words = this.#chunkOf(node);
    const at = startOf(node);
    let end = HEADER_BYTES / 4;
    let innerMap = 0;
    let leafMap = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      const reference = words[at + slot] as number;
      if (reference === NOTHING) continue;
      if (isLeaf(reference)) {
        leafMap |= 1 << slot;
        end = leaves.layOut(leafOf(reference), end);
      } else {
        innerMap |= 1 << slot;
        end = this.#layOutHash(nodeOf(reference), end);
      }
    }
    writeMaps(innerMap, leafMap);
    return end * 4;
  }

  #layOutHash(node: number, at: number): number {
    const words = this.#chunkOf(node);
    const from = startOf(node) + SLOTS;
    for (let i = 0; i < HASH_WORDS; i++) bodyWords[at + i] = words[from + i] as number;
    return at + HASH_WORDS;
  }

  #chunkOf(node: number): Int32Array {
    return this.#pool.words[node >>> CHUNK_SHIFT] as Int32Array;
  }
}

function startOf(node: number): number {
  return (node & CHUNK_MASK) * NODE_WORDS;
}
