/**
 * The nodes of a state tree, each in one piece of memory that holds what it is hashed from.
 *
 *   maps: inner << 16 | leaves (1 word) ‖ entries as in `node-body.ts` (8 or 16 words each) ‖ a reference per inner node
 *
 * A reference names the piece of a node, in the order of their slots; its hash is the entry. The mark DIRTY in a
 * reference says that this hash is out of date. Entries are kept as bytes; words are only a faster way to copy them, so
 * the byte order of the machine does not matter. A node moves when its entries change in kind: whoever changes one
 * gets its new name.
 *
 * Cost: about 85 bytes per key with its share of the nodes; hashing a node touches its piece alone.
 */
import type { Entries } from './entries.js';
import {
  HASH_BYTES,
  HEADER_BYTES,
  LEAF_BYTES,
  PATH_BYTES,
  SLOTS,
  bitCount,
  bodyWords,
  hashBody,
  writeMaps,
} from './node-body.js';
import { Pieces, UNIT_WORDS, chunkOf, wordOf } from './pieces.js';

const HASH_WORDS = HASH_BYTES / 4;
const LEAF_WORDS = LEAF_BYTES / 4;
const MOST_WORDS = 1 + SLOTS * LEAF_WORDS;
const DIRTY = 1 << 30;

export const NOTHING = -1;

export const isDirtyNode = (reference: number): boolean => reference >= DIRTY;
export const toDirtyNode = (node: number): number => node | DIRTY;
export const nodeOf = (reference: number): number => reference & ~DIRTY;

/** The maps of a node that has nothing but an inner node, or a leaf, in a slot. */
export const innerIn = (slot: number): number => 0x1_0000 << slot;
export const leafIn = (slot: number): number => 1 << slot;

// The node that is being rewritten, for one call at a time.
const held = new Int32Array(MOST_WORDS);

export class TreeNodes {
  readonly #pieces = new Pieces();

  get memory(): number {
    return this.#pieces.memory;
  }

  /** A node with such children, whose entries and references are still to be written. */
  addWith(maps: number): number {
    const node = this.#pieces.take(unitsOf(maps));
    this.#chunk(node)[wordOf(node)] = maps;
    return node;
  }

  release(node: number): void {
    this.#pieces.release(node, unitsOf(this.#maps(node)));
  }

  /** The reference to an inner node, or NOTHING. */
  child(node: number, slot: number): number {
    const words = this.#chunk(node);
    const at = wordOf(node);
    const maps = words[at]!;
    if (((maps >>> (16 + slot)) & 1) === 0) return NOTHING;
    return words[at + referenceAt(maps, slot)]!;
  }

  setChild(node: number, slot: number, reference: number): void {
    const at = wordOf(node);
    const words = this.#chunk(node);
    words[at + referenceAt(words[at]!, slot)] = reference;
  }

  hasLeaf(node: number, slot: number): boolean {
    return ((this.#maps(node) >>> slot) & 1) === 1;
  }

  /** Whether the leaf in a slot has the path that begins at `bytes[pathAt]`. */
  hasPath(node: number, slot: number, bytes: Uint8Array, pathAt: number): boolean {
    return sameBytes(this.#bytes(node), this.#entryAt(node, slot) * 4, bytes, pathAt, PATH_BYTES);
  }

  /** What stands in a slot: the path of a leaf, or the hash of a node. A copy. */
  entryName(node: number, slot: number): Uint8Array {
    const at = this.#entryAt(node, slot) * 4;
    return this.#bytes(node).slice(at, at + HASH_BYTES);
  }

  readLeaf(node: number, slot: number, out: Entries, entry: number): void {
    copyWords(this.#chunk(node), this.#entryAt(node, slot), LEAF_WORDS, out.words, entry * LEAF_WORDS);
  }

  /** False when it is there already. */
  writeLeaf(node: number, slot: number, { words }: Entries, entry: number): boolean {
    const chunk = this.#chunk(node);
    const at = this.#entryAt(node, slot);
    let isNew = false;
    for (let i = 0; i < LEAF_WORDS; i++) {
      const word = words[entry * LEAF_WORDS + i]!;
      if (chunk[at + i] === word) continue;
      chunk[at + i] = word;
      isNew = true;
    }
    return isNew;
  }

  /** The slot of the leaf that is the only child, or SLOTS. */
  onlyLeaf(node: number): number {
    const maps = this.#maps(node);
    const isAlone = maps !== 0 && maps >>> 16 === 0 && (maps & (maps - 1)) === 0;
    return isAlone ? 31 - Math.clz32(maps) : SLOTS;
  }

  /** The first slot from `slot` on that refers to a node to be hashed, or SLOTS. */
  nextDirty(node: number, slot: number): number {
    const words = this.#chunk(node);
    const at = wordOf(node);
    const maps = words[at]!;
    const inner = maps >>> 16;
    let reference = at + referenceAt(maps, slot);
    for (let next = slot; next < SLOTS; next++) {
      if (((inner >>> next) & 1) === 0) continue;
      if (isDirtyNode(words[reference]!)) return next;
      reference++;
    }
    return SLOTS;
  }

  /** Hashes the inner node in a slot, which needs valid hashes below it, and takes its mark off. */
  rehashChild(node: number, slot: number): void {
    const child = nodeOf(this.child(node, slot));
    hashBody(this.layOut(child), this.#bytes(node), this.#entryAt(node, slot) * 4);
    this.setChild(node, slot, child);
  }

  /** Writes the node into `body` and returns its length. */
  layOut(node: number): number {
    const words = this.#chunk(node);
    const at = wordOf(node);
    const maps = words[at]!;
    const count = entryWords(maps);
    copyWords(words, at + 1, count, bodyWords, HEADER_BYTES / 4);
    writeMaps(maps >>> 16, maps & 0xffff);
    return HEADER_BYTES + count * 4;
  }

  /** Gives a node a slot of another kind: its new name. The entry and reference there are still to be written. */
  turn(node: number, slot: number, kind: number): number {
    const before = this.#maps(node);
    this.#hold(node, before);
    this.release(node);
    const maps = (before & ~(innerIn(slot) | leafIn(slot))) | kind;
    const moved = this.addWith(maps);
    const words = this.#chunk(moved);
    const at = wordOf(moved);
    const entry = entryStart(before, slot);
    const next = entry + kindWords(before, slot);
    const references = 1 + entryWords(before);
    const reference = referenceAt(before, slot);
    const nextReference = reference + innerCount(before, slot);
    copyWords(held, 1, entry - 1, words, at + 1);
    copyWords(held, next, references - next, words, at + entry + kindWords(maps, slot));
    copyWords(held, references, reference - references, words, at + 1 + entryWords(maps));
    const to = at + referenceAt(maps, slot) + innerCount(maps, slot);
    copyWords(held, nextReference, wordsOf(before) - nextReference, words, to);
    return moved;
  }

  #hold(node: number, maps: number): void {
    copyWords(this.#chunk(node), wordOf(node), wordsOf(maps), held, 0);
  }

  /** The word of its chunk at which a slot's entry begins. */
  #entryAt(node: number, slot: number): number {
    return wordOf(node) + entryStart(this.#maps(node), slot);
  }

  #maps(node: number): number {
    return this.#chunk(node)[wordOf(node)]!;
  }

  #chunk(node: number): Int32Array {
    return this.#pieces.words[chunkOf(node)]!;
  }

  #bytes(node: number): Uint8Array {
    return this.#pieces.bytes[chunkOf(node)]!;
  }
}

function copyWords(from: Int32Array, at: number, count: number, out: Int32Array, outAt: number): void {
  for (let i = 0; i < count; i++) out[outAt + i] = from[at + i]!;
}

function innerCount(maps: number, slot: number): number {
  return (maps >>> (16 + slot)) & 1;
}

function entryWords(maps: number): number {
  return bitCount(maps >>> 16) * HASH_WORDS + bitCount(maps & 0xffff) * LEAF_WORDS;
}

function wordsOf(maps: number): number {
  return 1 + entryWords(maps) + bitCount(maps >>> 16);
}

function unitsOf(maps: number): number {
  return Math.ceil(wordsOf(maps) / UNIT_WORDS);
}

/** Offset of the entry of a slot, or where it would be, from the beginning of its node. */
function entryStart(maps: number, slot: number): number {
  const before = (1 << slot) - 1;
  return 1 + bitCount((maps >>> 16) & before) * HASH_WORDS + bitCount(maps & before) * LEAF_WORDS;
}

function kindWords(maps: number, slot: number): number {
  return innerCount(maps, slot) * HASH_WORDS + ((maps >>> slot) & 1) * LEAF_WORDS;
}

/** Offset of the reference of a slot, or where it would be. */
function referenceAt(maps: number, slot: number): number {
  return 1 + entryWords(maps) + bitCount((maps >>> 16) & ((1 << slot) - 1));
}

function sameBytes(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}
