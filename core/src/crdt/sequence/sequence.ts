/**
 * A list CRDT in the manner of Fugue (Weidner & Kleppmann, "The Art of the Fugue"): each element is a left or right
 * child of another, and the document is the tree read left children, element, right children.
 *
 * Elements are named (chain, counter); what they stand for, text or list items, is kept by the caller. Equal sets of
 * inserts and deletes give equal documents in whatever causal order they come. Elements are never removed and never
 * move; a delete only hides.
 *
 * Cost: typing on is O(1) through the cursor; any other insert or delete is one lookup and one short move in a leaf;
 * a contested place adds O(log n) searches (see sibling-place.ts). Nothing recurses. Methods that answer more than
 * one number leave the answer in fields, so that no call allocates.
 */
import { eachPiece, eachRun, eachSpan } from './element-runs.js';
import type { PieceVisitor, RunVisitor, SpanVisitor } from './element-runs.js';
import { Insertion } from './insertion.js';
import { Leaves } from './leaves.js';
import type { ElementOrder } from './sibling-search.js';
import { fillLeaves } from './snapshot-loading.js';
import { takeSnapshot } from './snapshot.js';
import type { SequenceSnapshot } from './snapshot.js';
import {
  CHAIN,
  DEPTH,
  GAP,
  LENGTH,
  MAX_CHAIN,
  MAX_ELEMENTS,
  RIGHT,
  ROOT_CHAIN,
  SPAN_INTS,
  START,
} from './span-layout.js';
import type { Side } from './span-layout.js';
import { mark } from './tombstones.js';

const UNKNOWN = -1;
const AS_SAVED: ElementOrder = () => -1;

export class Sequence {
  /** Answers of `elementAt`. */
  foundChain = 0;
  foundCounter = 0;

  readonly #leaves = new Leaves();
  readonly #insertion: Insertion;
  // The span touched last, and how many elements are visible before it (when known).
  #leaf = 0;
  #slot = 0;
  #before = UNKNOWN;

  /** `order` is asked only where two elements contest one place; the smaller goes left. */
  constructor(order: ElementOrder) {
    this.#insertion = new Insertion(this.#leaves, order);
  }

  /**
   * Rebuilds a saved sequence; throws when the snapshot isn't one that `save` can have written. Where the order of
   * siblings cannot be asked for yet, it is taken as saved.
   */
  static load(order: ElementOrder, snapshot: SequenceSnapshot, orderIsKnown = true): Sequence {
    const sequence = new Sequence(order);
    fillLeaves(sequence.#leaves, orderIsKnown ? order : AS_SAVED, snapshot);
    return sequence;
  }

  save(): SequenceSnapshot {
    return takeSnapshot(this.#leaves);
  }

  /** Visible elements. */
  get length(): number {
    return this.#leaves.directory.total;
  }

  // What the insert made or aimed last must name as its origin.
  get originChain(): number {
    return this.#insertion.parentChain;
  }
  get originCounter(): number {
    return this.#insertion.parentCounter;
  }
  get originSide(): Side {
    return this.#insertion.side;
  }

  /** Local insert before the visible element at `position`; the origin fields say what it must name. */
  insertAt(position: number, chain: number, counter: number, count: number): void {
    if (position >>> 0 !== position || position > this.length) this.#refusePosition(position, 0);
    this.#announce(chain, counter, count);
    const leaves = this.#leaves;
    const insertion = this.#insertion;
    if (position === 0) {
      insertion.intoGap(leaves.directory.first, -1);
    } else {
      this.#seek(position - 1);
      const at = leaves.offset(this.#leaf, this.#slot);
      const { spans } = leaves;
      const last = spans[at + START]! + spans[at + LENGTH]! - 1;
      const offset = position - this.#before;
      if (offset < spans[at + LENGTH]!) {
        insertion.intoSpan(this.#leaf, this.#slot, offset);
      } else if (
        last + 1 === counter &&
        spans[at + CHAIN] === chain &&
        spans[at + GAP]! < spans[at + DEPTH]! + offset - 1
      ) {
        insertion.under(chain, last, RIGHT);
        insertion.extend(this.#leaf, this.#slot);
        return;
      } else insertion.intoGap(this.#leaf, this.#slot);
    }
    this.#leaf = leaves.leaf;
    this.#slot = leaves.slot;
    this.#before = position;
  }

  /** The origin fields say what an insert directly after a held element must name; nothing changes. */
  aimAfter(chain: number, counter: number): void {
    if (!this.#locate(chain, counter)) this.#refuseElement(chain, counter);
    const { spans } = this.#leaves;
    const at = this.#leaves.offset(this.#leaf, this.#slot);
    const offset = counter - spans[at + START]! + 1;
    if (offset < Math.abs(spans[at + LENGTH]!)) this.#insertion.aimAtSpan(this.#leaf, this.#slot, offset);
    else this.#insertion.aimAtGap(this.#leaf, this.#slot);
  }

  /** Chooses the spot before everything. */
  aimAtStart(): void {
    this.#insertion.aimAtGap(this.#leaves.directory.first, -1);
  }

  /** Local delete; hands out maximal id spans in document order. `visit` may ask the sequence, not edit it. */
  deleteAt(position: number, count: number, visit: (chain: number, counter: number, count: number) => void): void {
    const isWithin = position >>> 0 === position && count >>> 0 === count && position + count <= this.length;
    if (!isWithin || count === 0) this.#refusePosition(position, count);
    const leaves = this.#leaves;
    let chain = 0;
    let counter = 0;
    let pending = 0;
    for (let left = count; left > 0;) {
      this.#seek(position);
      const at = leaves.offset(this.#leaf, this.#slot);
      const from = position - this.#before;
      const taken = Math.min(left, leaves.spans[at + LENGTH]! - from);
      const first = leaves.spans[at + START]! + from;
      const owner = leaves.spans[at + CHAIN]!;
      this.#mark(from, taken);
      this.#before = position;
      left -= taken;
      if (pending > 0 && owner === chain && first === counter + pending) {
        pending += taken;
        continue;
      }
      if (pending > 0) visit(chain, counter, pending);
      chain = owner;
      counter = first;
      pending = taken;
    }
    visit(chain, counter, pending);
  }

  /** Remote insert. The parent must be held: what an author names, the author had seen. */
  insert(chain: number, counter: number, count: number, parentChain: number, parentCounter: number, side: Side): void {
    this.#announce(chain, counter, count);
    const leaves = this.#leaves;
    const insertion = this.#insertion;
    const isRoot = parentChain === ROOT_CHAIN;
    if (isRoot && side !== RIGHT) throw new RangeError('the start of a sequence has only a right side');
    if (!isRoot && !this.#locate(parentChain, parentCounter)) {
      throw new RangeError(`parent ${parentChain}:${parentCounter} is not held; insert it first`);
    }
    insertion.under(parentChain, parentCounter, side);
    if (isRoot) insertion.rightOf(leaves.directory.first, -1);
    else if (side === RIGHT) insertion.rightOf(this.#leaf, this.#slot);
    else insertion.leftOf(this.#leaf, this.#slot);
    this.#moveTo(leaves.leaf, leaves.slot);
  }

  /** Remote delete of held elements; answers how many of them were visible until now. */
  delete(chain: number, counter: number, count: number): number {
    checkElements(chain, counter, count);
    const leaves = this.#leaves;
    const end = counter + count;
    let hidden = 0;
    for (let next = counter; next < end;) {
      if (!this.#locate(chain, next)) this.#refuseElement(chain, next);
      const at = leaves.offset(this.#leaf, this.#slot);
      const from = next - leaves.spans[at + START]!;
      const length = leaves.spans[at + LENGTH]!;
      const taken = Math.min(end - next, Math.abs(length) - from);
      // Nothing may be hidden by a delete that is refused further on.
      if (next === counter && taken < count) this.#checkHeld(chain, counter + taken, end);
      this.#before = UNKNOWN;
      if (length > 0) {
        this.#mark(from, taken);
        hidden += taken;
      }
      next += taken;
    }
    return hidden;
  }

  has(chain: number, counter: number): boolean {
    return this.#locate(chain, counter);
  }

  isDeleted(chain: number, counter: number): boolean {
    if (!this.#locate(chain, counter)) this.#refuseElement(chain, counter);
    return this.#leaves.spans[this.#leaves.offset(this.#leaf, this.#slot) + LENGTH]! < 0;
  }

  /** Visible position; of a deleted element the position it would have. */
  positionOf(chain: number, counter: number): number {
    if (!this.#locate(chain, counter)) this.#refuseElement(chain, counter);
    const leaves = this.#leaves;
    const at = leaves.offset(this.#leaf, this.#slot);
    if (this.#before === UNKNOWN) {
      let before = leaves.directory.visibleBefore(this.#leaf);
      for (let slot = 0; slot < this.#slot; slot++) {
        const length = leaves.spans[leaves.offset(this.#leaf, slot) + LENGTH]!;
        if (length > 0) before += length;
      }
      this.#before = before;
    }
    return leaves.spans[at + LENGTH]! < 0 ? this.#before : this.#before + counter - leaves.spans[at + START]!;
  }

  /** Leaves the id of the visible element in foundChain and foundCounter. */
  elementAt(position: number): void {
    if (position >>> 0 !== position || position >= this.length) this.#refusePosition(position, 1);
    this.#seek(position);
    const at = this.#leaves.offset(this.#leaf, this.#slot);
    this.foundChain = this.#leaves.spans[at + CHAIN]!;
    this.foundCounter = this.#leaves.spans[at + START]! + position - this.#before;
  }

  /** Document order, in maximal runs of consecutive counters that are alike in being deleted. */
  forEachSpan(visit: SpanVisitor): void {
    eachSpan(this.#leaves, visit);
  }

  /** The held elements of one chain's counters [from, to), in counter order; independent of how spans are cut. */
  forEachRun(chain: number, from: number, to: number, visit: RunVisitor): void {
    eachRun(this.#leaves, chain, from, to, visit);
  }

  /** The held elements of one chain's counters [from, to), as pieces with nothing between their elements. */
  forEachPiece(chain: number, from: number, to: number, visit: PieceVisitor): void {
    eachPiece(this.#leaves, chain, from, to, visit);
  }

  /** Puts the cursor on the span of a visible position. */
  #seek(position: number): void {
    const { directory } = this.#leaves;
    const reach = directory.visible[this.#leaf]!;
    const isNear = this.#before !== UNKNOWN && position - this.#before < reach && this.#before - position <= reach;
    if (isNear && this.#walk(position)) return;
    directory.seek(position);
    this.#leaf = directory.foundLeaf;
    this.#slot = 0;
    this.#before = directory.foundBefore;
    this.#walk(position);
  }

  /** Walks from the cursor to a position, if it lies in the same leaf. */
  #walk(position: number): boolean {
    const leaves = this.#leaves;
    const { spans } = leaves;
    const count = leaves.directory.count[this.#leaf]!;
    let before = this.#before;
    let slot = this.#slot;
    let at = leaves.offset(this.#leaf, slot) + LENGTH;
    while (position < before && slot > 0) {
      slot--;
      at -= SPAN_INTS;
      if (spans[at]! > 0) before -= spans[at]!;
    }
    if (position < before) return false;
    for (; slot < count; slot++, at += SPAN_INTS) {
      const length = spans[at]!;
      if (length <= 0) continue;
      if (position < before + length) {
        this.#slot = slot;
        this.#before = before;
        return true;
      }
      before += length;
    }
    return false;
  }

  /** Puts the cursor on the span of an element; edits by id cluster, so the last span and its neighbours come first. */
  #locate(chain: number, counter: number): boolean {
    const leaves = this.#leaves;
    const { spans } = leaves;
    const count = leaves.directory.count[this.#leaf]!;
    const last = Math.min(this.#slot + 1, count - 1);
    for (let slot = Math.max(0, this.#slot - 1); slot <= last; slot++) {
      const at = leaves.offset(this.#leaf, slot);
      const offset = counter - spans[at + START]!;
      if (offset < 0 || spans[at + CHAIN] !== chain || offset >= Math.abs(spans[at + LENGTH]!)) continue;
      if (slot !== this.#slot) this.#moveTo(this.#leaf, slot);
      return true;
    }
    if (!leaves.locate(chain, counter)) return false;
    this.#moveTo(leaves.leaf, leaves.slot);
    return true;
  }

  #moveTo(leaf: number, slot: number): void {
    this.#leaf = leaf;
    this.#slot = slot;
    this.#before = UNKNOWN;
  }

  /** Hides elements of the cursor's span and moves the cursor to the span that holds them then. */
  #mark(from: number, count: number): void {
    mark(this.#leaves, this.#leaf, this.#slot, from, count);
    this.#leaf = this.#leaves.leaf;
    this.#slot = this.#leaves.slot;
  }

  #announce(chain: number, counter: number, count: number): void {
    checkElements(chain, counter, count);
    if (count > MAX_ELEMENTS - this.#leaves.elements)
      throw new RangeError('a sequence holds at most 2^31 - 1 elements');
    this.#insertion.chain = chain;
    this.#insertion.counter = counter;
    this.#insertion.count = count;
  }

  #checkHeld(chain: number, from: number, to: number): void {
    const index = this.#leaves.needIndex();
    for (let at = from; at < to; at++) {
      if (index.find(chain, at) < 0) this.#refuseElement(chain, at);
    }
  }

  #refuseElement(chain: number, counter: number): never {
    throw new RangeError(`element ${chain}:${counter} is not held`);
  }

  #refusePosition(position: number, count: number): never {
    throw new RangeError(`${count} elements at ${position} are not within the ${this.length} visible ones`);
  }
}

function checkElements(chain: number, counter: number, count: number): void {
  const isValid = chain >>> 0 === chain && chain <= MAX_CHAIN && counter >>> 0 === counter && count >>> 0 === count;
  if (!isValid || count === 0 || counter + count > MAX_ELEMENTS) {
    throw new RangeError(`${count} elements from ${chain}:${counter}: expected whole numbers, at least one element`);
  }
}
