/**
 * Puts one run of new elements where its origin says: from (parent, side) to a spot between two spans.
 *
 * The run's first element becomes a child of the parent, each further one the right child of the one before. If the
 * parent has no child on that side, which its gaps tell at once, the spot is beside the parent. Only otherwise are
 * there siblings to be compared with. An insert changes one gap: the one it falls into becomes two, of which one
 * keeps the old value and the other is the parent's depth.
 *
 * One of these is kept per sequence and refilled, so that an insert allocates nothing.
 */
import type { Leaves } from './leaves.js';
import { comesBefore, findAmongSiblings } from './sibling-search.js';
import type { ElementOrder } from './sibling-search.js';
import { CHAIN, DEPTH, END_GAP, GAP, LEFT, LENGTH, RIGHT, ROOT_CHAIN, ROOT_DEPTH, START } from './span-layout.js';
import type { Side } from './span-layout.js';
import { nextGap, previousGap } from './span-search.js';

/** How many deleted spans behind a position are looked at for the end of the author's own chain. */
const LOOK_AHEAD = 4;

export class Insertion {
  chain = 0;
  counter = 0;
  count = 0;
  parentChain = ROOT_CHAIN;
  parentCounter = 0;
  side: Side = RIGHT;
  readonly #leaves: Leaves;
  readonly #order: ElementOrder;

  constructor(leaves: Leaves, order: ElementOrder) {
    this.#leaves = leaves;
    this.#order = order;
  }

  under(chain: number, counter: number, side: Side): void {
    this.parentChain = chain;
    this.parentCounter = counter;
    this.side = side;
  }

  /** Appends to a live span that ends with the parent, which has no child that goes before. */
  extend(leaf: number, slot: number): void {
    const leaves = this.#leaves;
    leaves.spans[leaves.offset(leaf, slot) + LENGTH]! += this.count;
    leaves.leaf = leaf;
    leaves.slot = slot;
    this.#account(leaf);
  }

  /** Between a span and the next, where an author wants it: chooses the origin, so nothing can be contested. */
  intoGap(leaf: number, slot: number): void {
    if (!this.#afterOwnTombstone(leaf, slot)) this.#after(leaf, slot, this.aimAtGap(leaf, slot));
  }

  /** Inserts before the `offset`-th element of a span, which has no left child: the author's wish. */
  intoSpan(leaf: number, slot: number, offset: number): void {
    this.#inside(leaf, slot, offset, this.aimAtSpan(leaf, slot, offset));
  }

  /** Chooses the origin for a spot between a span and the next; answers its depth. Nothing is inserted. */
  aimAtGap(leaf: number, slot: number): number {
    const leaves = this.#leaves;
    const { spans } = leaves;
    const at = leaves.offset(leaf, slot);
    const last = slot < 0 ? 0 : Math.abs(spans[at + LENGTH]!) - 1;
    const depth = slot < 0 ? ROOT_DEPTH : spans[at + DEPTH]! + last;
    const isFree = slot < 0 ? leaves.elements === 0 : spans[at + GAP]! < depth;
    if (isFree) {
      if (slot < 0) this.under(ROOT_CHAIN, 0, RIGHT);
      else this.under(spans[at + CHAIN]!, spans[at + START]! + last, RIGHT);
      return depth;
    }
    // What follows is then the leftmost of a right subtree, and so has no left child.
    leaves.stepOn(leaf, slot);
    const next = leaves.offset(leaves.leaf, leaves.slot);
    this.under(spans[next + CHAIN]!, spans[next + START]!, LEFT);
    return spans[next + DEPTH]!;
  }

  /** Chooses the origin for a spot before the `offset`-th element of a span; answers its depth. */
  aimAtSpan(leaf: number, slot: number, offset: number): number {
    const at = this.#leaves.offset(leaf, slot);
    const { spans } = this.#leaves;
    this.under(spans[at + CHAIN]!, spans[at + START]! + offset, LEFT);
    return spans[at + DEPTH]! + offset;
  }

  /** Right of the parent, which lies in the given span; slot -1 is the root. */
  rightOf(leaf: number, slot: number): void {
    const leaves = this.#leaves;
    if (slot < 0) {
      leaves.leaf = leaf;
      leaves.slot = slot;
      if (leaves.elements > 0) this.#contest(ROOT_DEPTH, leaf, slot);
      this.#after(leaves.leaf, leaves.slot, ROOT_DEPTH);
      return;
    }
    const { spans } = leaves;
    const at = leaves.offset(leaf, slot);
    const length = spans[at + LENGTH]!;
    const offset = this.parentCounter - spans[at + START]!;
    const depth = spans[at + DEPTH]! + offset;
    if (offset < Math.abs(length) - 1) {
      const follower = this.parentCounter + 1;
      if (comesBefore(this.#order, this.chain, this.counter, this.parentChain, follower)) {
        this.#inside(leaf, slot, offset + 1, depth);
        return;
      }
      nextGap(leaves, leaf, slot, depth);
      const end = leaves.offset(leaves.leaf, leaves.slot);
      if (spans[end + GAP] === depth) this.#contest(depth, leaves.leaf, leaves.slot);
      this.#after(leaves.leaf, leaves.slot, depth);
      return;
    }
    leaves.leaf = leaf;
    leaves.slot = slot;
    if (spans[at + GAP] === depth) this.#contest(depth, leaf, slot);
    const isBeside = leaves.leaf === leaf && leaves.slot === slot;
    if (isBeside && length > 0 && this.chain === this.parentChain && this.counter === this.parentCounter + 1) {
      this.extend(leaf, slot);
    } else this.#after(leaves.leaf, leaves.slot, depth);
  }

  /** Left of the parent, which lies in the given span. */
  leftOf(leaf: number, slot: number): void {
    const leaves = this.#leaves;
    const { spans } = leaves;
    const at = leaves.offset(leaf, slot);
    const offset = this.parentCounter - spans[at + START]!;
    const depth = spans[at + DEPTH]! + offset;
    if (offset > 0) {
      this.#inside(leaf, slot, offset, depth);
      return;
    }
    leaves.stepBack(leaf, slot);
    const toLeaf = leaves.leaf;
    const toSlot = leaves.slot;
    if (toSlot >= 0 && spans[leaves.offset(toLeaf, toSlot) + GAP] === depth) {
      previousGap(leaves, toLeaf, toSlot, depth - 1);
      const { leaf: fromLeaf, slot: fromSlot } = leaves;
      findAmongSiblings(leaves, this.#order, this.chain, this.counter, depth, fromLeaf, fromSlot, toLeaf, toSlot);
    }
    this.#after(leaves.leaf, leaves.slot, depth);
  }

  /** Chooses among right siblings whose first block follows the given span. */
  #contest(depth: number, fromLeaf: number, fromSlot: number): void {
    const leaves = this.#leaves;
    leaves.stepOn(fromLeaf, fromSlot);
    nextGap(leaves, leaves.leaf, leaves.slot, depth - 1);
    const { leaf: toLeaf, slot: toSlot } = leaves;
    findAmongSiblings(leaves, this.#order, this.chain, this.counter, depth, fromLeaf, fromSlot, toLeaf, toSlot);
  }

  /**
   * Typing on after one's own deleted last character joins the two runs, and they are deleted as one if the author
   * backspaces again: a tenth fewer spans in real typing.
   */
  #afterOwnTombstone(leaf: number, slot: number): boolean {
    const leaves = this.#leaves;
    const { spans } = leaves;
    if (leaves.elements === 0) return false;
    leaves.leaf = leaf;
    leaves.slot = slot;
    for (let looked = 0; looked < LOOK_AHEAD && leaves.stepOn(leaves.leaf, leaves.slot); looked++) {
      const at = leaves.offset(leaves.leaf, leaves.slot);
      const length = spans[at + LENGTH]!;
      if (length > 0) return false;
      const depth = spans[at + DEPTH]! - length - 1;
      if (spans[at + CHAIN] !== this.chain || spans[at + START]! - length !== this.counter) continue;
      if (spans[at + GAP] === depth) return false;
      this.under(this.chain, this.counter - 1, RIGHT);
      this.#after(leaves.leaf, leaves.slot, depth);
      return true;
    }
    return false;
  }

  /** Directly after a span: as right child, the gap that the parent's side of the tree had moves behind the run. */
  #after(leaf: number, slot: number, parentDepth: number): void {
    const leaves = this.#leaves;
    let gap = leaves.elements === 0 ? END_GAP : parentDepth;
    leaves.open(leaf, slot, 1);
    if (slot >= 0 && this.side === RIGHT) {
      const at = leaves.offset(leaves.leaf, leaves.slot) + GAP;
      gap = leaves.spans[at]!;
      leaves.spans[at] = parentDepth;
    }
    this.#write(leaves.leaf, leaves.slot + 1, parentDepth, gap);
  }

  /** Inserts before the `offset`-th element of a span, which is cut there. */
  #inside(leaf: number, slot: number, offset: number, parentDepth: number): void {
    const leaves = this.#leaves;
    leaves.open(leaf, slot, 2);
    leaves.cut(leaves.leaf, leaves.slot, offset, 2);
    this.#write(leaves.leaf, leaves.slot + 1, parentDepth, parentDepth);
  }

  #write(leaf: number, slot: number, parentDepth: number, gap: number): void {
    const parent = this.parentChain * 2 + this.side;
    const leaves = this.#leaves;
    leaves.write(leaf, slot, this.chain, this.counter, this.count, parent, this.parentCounter, parentDepth + 1, gap);
    leaves.leaf = leaf;
    leaves.slot = slot;
    this.#account(leaf);
  }

  #account(leaf: number): void {
    const leaves = this.#leaves;
    leaves.elements += this.count;
    leaves.directory.addVisible(leaf, this.count);
    leaves.index?.assign(this.chain, this.counter, this.count, leaf);
  }
}
