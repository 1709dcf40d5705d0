/**
 * The spans in document order, in leaves of up to 48 that lie side by side in one pooled Int32Array.
 *
 * Making room in a leaf is one copyWithin of at most 1.3 KB; a full leaf splits in two. A new span always goes into
 * the leaf of the span before it, so the two gaps that an insert touches stay under one leaf's minimum.
 *
 * Invariant: no leaf is empty, except the only leaf of an empty sequence. Spans are addressed by (leaf, slot);
 * (first leaf, -1) is the spot before the document.
 */
import { ElementIndex } from './element-index.js';
import { LeafDirectory } from './leaf-directory.js';
import { CHAIN, DEPTH, GAP, LENGTH, PARENT, PARENT_COUNTER, RIGHT, SPAN_INTS, START } from './span-layout.js';

export const LEAF = 48;
export const LEAF_INTS = LEAF * SPAN_INTS;
// Where inserts pile up at one end of a leaf, the split leaves the other side nearly full.
const EDGE = 6;

export class Leaves {
  readonly directory = new LeafDirectory();
  /** Index of elements, made when something is first looked up by id: typing and reading alone never pay for it. */
  index: ElementIndex | undefined;
  spans = new Int32Array(LEAF_INTS);
  /** All elements, deleted ones included. */
  elements = 0;
  /** Answers of `open`, `mark` and the searches. */
  leaf = 0;
  slot = 0;

  offset(leaf: number, slot: number): number {
    return leaf * LEAF_INTS + slot * SPAN_INTS;
  }

  /** Opens `room` slots after a span. Afterwards (leaf, slot) is where that span is now. */
  open(leaf: number, slot: number, room: number): void {
    this.leaf = leaf;
    this.slot = slot;
    const { count } = this.directory;
    if (count[leaf]! + room > LEAF) this.#split(leaf, slot);
    const at = this.offset(this.leaf, this.slot + 1);
    const counts = this.directory.count;
    const end = this.offset(this.leaf, counts[this.leaf]!);
    if (at !== end) this.spans.copyWithin(at + room * SPAN_INTS, at, end);
    counts[this.leaf]! += room;
  }

  /** Fills an opened slot. */
  write(
    leaf: number,
    slot: number,
    chain: number,
    start: number,
    length: number,
    parent: number,
    parentCounter: number,
    depth: number,
    gap: number,
  ): void {
    const at = this.offset(leaf, slot);
    const { spans } = this;
    spans[at + START] = start;
    spans[at + LENGTH] = length;
    spans[at + CHAIN] = chain;
    spans[at + PARENT] = parent;
    spans[at + PARENT_COUNTER] = parentCounter;
    spans[at + DEPTH] = depth;
    spans[at + GAP] = gap;
    this.directory.lower(leaf, gap, depth);
  }

  /** Moves a span's elements from offset `from` on to the opened slot `ahead` slots further. */
  cut(leaf: number, slot: number, from: number, ahead: number): void {
    const at = this.offset(leaf, slot);
    const { spans } = this;
    const chain = spans[at + CHAIN]!;
    const length = spans[at + LENGTH]!;
    const start = spans[at + START]! + from;
    const depth = spans[at + DEPTH]! + from;
    const rest = length < 0 ? length + from : length - from;
    this.write(leaf, slot + ahead, chain, start, rest, chain * 2 + RIGHT, start - 1, depth, spans[at + GAP]!);
    spans[at + LENGTH] = length - rest;
    spans[at + GAP] = depth - 1;
    this.directory.lower(leaf, depth - 1, depth - from);
  }

  /** Takes a span out; its elements must have been given to a neighbour in the same leaf. */
  remove(leaf: number, slot: number): void {
    const at = this.offset(leaf, slot);
    this.spans.copyWithin(at, at + SPAN_INTS, this.offset(leaf, this.directory.count[leaf]!));
    this.directory.count[leaf]!--;
  }

  /** To be called when a gap of the leaf went up or away: keeps the leaf's minimum exact. */
  gapRaised(leaf: number, was: number): void {
    if (was !== this.directory.minGap[leaf]) return;
    const { spans } = this;
    const end = this.offset(leaf, this.directory.count[leaf]!);
    let gap = spans[this.offset(leaf, 0) + GAP]!;
    for (let at = this.offset(leaf, 1); at < end; at += SPAN_INTS) {
      if (spans[at + GAP]! < gap) gap = spans[at + GAP]!;
    }
    if (gap !== was) this.directory.raiseGap(leaf, gap);
  }

  /** Finds an element by id: (leaf, slot). */
  locate(chain: number, counter: number): boolean {
    const leaf = this.needIndex().find(chain, counter);
    if (leaf < 0) return false;
    this.leaf = leaf;
    this.slot = this.#slotOf(leaf, chain, counter);
    return true;
  }

  needIndex(): ElementIndex {
    if (this.index !== undefined) return this.index;
    this.index = new ElementIndex(this.elements);
    for (let leaf = this.directory.first; leaf >= 0; leaf = this.directory.next[leaf]!) this.#indexLeaf(leaf);
    return this.index;
  }

  /** Steps (leaf, slot) to the span before it, or to the spot before the document. */
  stepBack(leaf: number, slot: number): void {
    const before = slot > 0 ? leaf : this.directory.previous[leaf]!;
    this.leaf = before < 0 ? leaf : before;
    this.slot = slot > 0 ? slot - 1 : before < 0 ? -1 : this.directory.count[before]! - 1;
  }

  /** Steps (leaf, slot) to the next span; answers whether there is one. */
  stepOn(leaf: number, slot: number): boolean {
    this.leaf = leaf;
    this.slot = slot + 1;
    if (this.slot < this.directory.count[leaf]!) return true;
    const next = this.directory.next[leaf]!;
    if (next < 0) return false;
    this.leaf = next;
    this.slot = 0;
    return true;
  }

  /** Recomputes what the directory knows of a leaf, except its groups. */
  measure(leaf: number): void {
    const { spans } = this;
    const end = this.offset(leaf, this.directory.count[leaf]!);
    let visible = 0;
    let gap = 0x7fffffff;
    let depth = 0x7fffffff;
    for (let at = this.offset(leaf, 0); at < end; at += SPAN_INTS) {
      if (spans[at + LENGTH]! > 0) visible += spans[at + LENGTH]!;
      if (spans[at + GAP]! < gap) gap = spans[at + GAP]!;
      if (spans[at + DEPTH]! < depth) depth = spans[at + DEPTH]!;
    }
    this.directory.visible[leaf] = visible;
    this.directory.minGap[leaf] = gap;
    this.directory.minDepth[leaf] = depth;
  }

  reserve(leaves: number): void {
    const larger = new Int32Array(leaves * LEAF_INTS);
    larger.set(this.spans);
    this.spans = larger;
  }

  /**
   * Splits a full leaf. The side with fewer elements is the one that moves: index entries are rewritten for what
   * moves, so an element is rewritten only when its leaf at least halves, whatever huge spans lie beside small ones.
   */
  #split(leaf: number, slot: number): void {
    const { directory } = this;
    const count = directory.count[leaf]!;
    const cut = slot >= count - 2 ? count - EDGE : slot < 2 ? EDGE : count >> 1;
    const upperMoves = this.#elements(leaf, cut, count) <= this.#elements(leaf, 0, cut);
    const fresh = directory.addBeside(leaf, upperMoves);
    if (directory.leafCount * LEAF_INTS > this.spans.length) this.reserve(directory.leafCount * 2);
    const from = upperMoves ? cut : 0;
    const to = upperMoves ? count : cut;
    this.spans.copyWithin(this.offset(fresh, 0), this.offset(leaf, from), this.offset(leaf, to));
    if (!upperMoves) this.spans.copyWithin(this.offset(leaf, 0), this.offset(leaf, cut), this.offset(leaf, count));
    directory.count[fresh] = to - from;
    directory.count[leaf] = count - (to - from);
    this.measure(leaf);
    this.measure(fresh);
    this.#indexLeaf(fresh);
    const inLower = slot < cut;
    this.leaf = inLower === upperMoves ? leaf : fresh;
    this.slot = inLower ? slot : slot - cut;
  }

  /** The slot of an element in a leaf that holds it, or -1. */
  #slotOf(leaf: number, chain: number, counter: number): number {
    const { spans } = this;
    const base = leaf * LEAF_INTS;
    const end = base + this.directory.count[leaf]! * SPAN_INTS;
    for (let at = base; at < end; at += SPAN_INTS) {
      if (spans[at + CHAIN] !== chain) continue;
      const offset = counter - spans[at + START]!;
      if (offset >= 0 && offset < Math.abs(spans[at + LENGTH]!)) return (at - base) / SPAN_INTS;
    }
    return -1;
  }

  #elements(leaf: number, from: number, to: number): number {
    let sum = 0;
    for (let at = this.offset(leaf, from); at < this.offset(leaf, to); at += SPAN_INTS) {
      sum += Math.abs(this.spans[at + LENGTH]!);
    }
    return sum;
  }

  #indexLeaf(leaf: number): void {
    const { index, spans } = this;
    if (index === undefined) return;
    const end = this.offset(leaf, this.directory.count[leaf]!);
    for (let at = this.offset(leaf, 0); at < end; at += SPAN_INTS) {
      index.assign(spans[at + CHAIN]!, spans[at + START]!, Math.abs(spans[at + LENGTH]!), leaf);
    }
  }
}
