/**
 * All nodes of a tree at once: each is made in the size that it has in the end, and hashed while its children are at hand.
 *
 * The result is that of setting the entries one by one. Cost: about two passes over the entries, whatever their number;
 * it recurses as deep as paths go, which is 64.
 */
import { PREFIX_NIBBLES, byPrefix, prefixAt } from './by-prefix.js';
import type { Entries } from './entries.js';
import { LEAF_BYTES, MAX_DEPTH, SLOTS, nibbleAt } from './node-body.js';
import { type TreeNodes, innerIn, leafIn } from './tree-nodes.js';

/** The root's name; the hashes of all nodes below it are valid. Throws when two paths are equal. */
export function buildNodes(nodes: TreeNodes, entries: Entries, count: number): number {
  return new Building(nodes, entries, count).build(0, count, 0);
}

class Building {
  readonly #nodes: TreeNodes;
  readonly #entries: Entries;
  readonly #order: Int32Array;
  /** Indices in the order at which the entries of each prefix begin. */
  readonly #starts: Int32Array;
  /** Indices in the order at which the entries of each slot end, by depth. */
  readonly #ends = new Int32Array(MAX_DEPTH * SLOTS);
  #aside = new Int32Array(64);

  constructor(nodes: TreeNodes, entries: Entries, count: number) {
    this.#nodes = nodes;
    this.#entries = entries;
    const { order, starts } = byPrefix(entries, count);
    this.#order = order;
    this.#starts = starts;
  }

  /** The node over the entries [from, to) of the order, whose paths are equal above `depth`. */
  build(from: number, to: number, depth: number): number {
    if (depth === MAX_DEPTH) throw new RangeError('two entries have one path');
    if (depth < PREFIX_NIBBLES) this.#lookUpEnds(from, depth);
    else this.#sortBySlot(from, to, depth);
    const node = this.#nodes.addWith(this.#maps(from, depth));
    let start = from;
    for (let slot = 0; slot < SLOTS; slot++) {
      const end = this.#ends[depth * SLOTS + slot]!;
      if (end === start + 1) this.#nodes.writeLeaf(node, slot, this.#entries, this.#order[start]!);
      else if (end > start) {
        this.#nodes.setChild(node, slot, this.build(start, end, depth + 1));
        this.#nodes.rehashChild(node, slot);
      }
      start = end;
    }
    return node;
  }

  #maps(from: number, depth: number): number {
    let maps = 0;
    let start = from;
    for (let slot = 0; slot < SLOTS; slot++) {
      const end = this.#ends[depth * SLOTS + slot]!;
      if (end === start + 1) maps |= leafIn(slot);
      else if (end > start) maps |= innerIn(slot);
      start = end;
    }
    return maps;
  }

  /** Entries of one prefix lie together. */
  #lookUpEnds(from: number, depth: number): void {
    const below = (PREFIX_NIBBLES - 1 - depth) * 4;
    const first = (prefixAt(this.#entries, this.#order[from]!) >>> (below + 4)) << (below + 4);
    for (let slot = 0; slot < SLOTS; slot++) {
      this.#ends[depth * SLOTS + slot] = this.#starts[first + ((slot + 1) << below)]!;
    }
  }

  #sortBySlot(from: number, to: number, depth: number): void {
    const ends = this.#ends;
    const order = this.#order;
    const { bytes } = this.#entries;
    const at = depth * SLOTS;
    if (this.#aside.length < to - from) this.#aside = new Int32Array(to - from);
    const aside = this.#aside;
    ends.fill(0, at, at + SLOTS);
    for (let i = from; i < to; i++) {
      aside[i - from] = order[i]!;
      ends[at + nibbleAt(bytes, order[i]! * LEAF_BYTES, depth)]! += 1;
    }
    let start = from;
    for (let slot = 0; slot < SLOTS; slot++) {
      const count = ends[at + slot]!;
      ends[at + slot] = start;
      start += count;
    }
    // What is the place of a slot's next entry ends up as the end of its last.
    for (let i = 0; i < to - from; i++) {
      const slot = at + nibbleAt(bytes, aside[i]! * LEAF_BYTES, depth);
      order[ends[slot]!] = aside[i]!;
      ends[slot]! += 1;
    }
  }
}
