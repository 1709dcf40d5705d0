/**
 * Deleting: elements stay where they are and are only marked, because others may still name them.
 *
 * Deleted neighbours that were typed in a row share one span: backspacing moves the boundary between the live and
 * the deleted span by one and allocates nothing. Spans of two leaves are never joined, so no leaf becomes empty
 * and no index entry changes here.
 */
import type { Leaves } from './leaves.js';
import { CHAIN, DEPTH, GAP, LENGTH, PARENT, PARENT_COUNTER, RIGHT, SPAN_INTS, START } from './span-layout.js';

/**
 * Marks `count` elements of a live span, beginning `from` elements into it. Afterwards (leaf, slot) is the span that
 * holds them; exactly the elements before them in the old span are visible between the two spans' starts.
 */
export function mark(leaves: Leaves, leaf: number, slot: number, from: number, count: number): void {
  leaves.leaf = leaf;
  leaves.slot = slot;
  const length = leaves.spans[leaves.offset(leaf, slot) + LENGTH]!;
  if (count === length) markWhole(leaves, leaf, slot);
  else if (from === 0) markHead(leaves, leaf, slot, count);
  else if (from + count === length) markTail(leaves, leaf, slot, count, length);
  else {
    leaves.open(leaf, slot, 2);
    leaves.cut(leaves.leaf, leaves.slot, from + count, 2);
    leaves.cut(leaves.leaf, leaves.slot, from, 1);
    leaves.slot += 1;
    flip(leaves, leaves.leaf, leaves.slot);
  }
  // Last, because a leaf that splits on the way counts its elements anew.
  leaves.directory.addVisible(leaves.leaf, -count);
}

/** Whether a span is deleted and continues the one before it in the same leaf. */
function continues(leaves: Leaves, leaf: number, slot: number): boolean {
  if (slot === 0 || slot >= leaves.directory.count[leaf]!) return false;
  const { spans } = leaves;
  const at = leaves.offset(leaf, slot);
  const before = at - SPAN_INTS;
  const chain = spans[at + CHAIN]!;
  const last = spans[at + START]! - 1;
  return (
    spans[before + CHAIN] === chain &&
    spans[before + START]! + Math.abs(spans[before + LENGTH]!) - 1 === last &&
    spans[at + PARENT] === chain * 2 + RIGHT &&
    spans[at + PARENT_COUNTER] === last
  );
}

function isDead(leaves: Leaves, leaf: number, slot: number): boolean {
  return leaves.spans[leaves.offset(leaf, slot) + LENGTH]! < 0;
}

function flip(leaves: Leaves, leaf: number, slot: number): void {
  const at = leaves.offset(leaf, slot) + LENGTH;
  leaves.spans[at] = -leaves.spans[at]!;
}

function markWhole(leaves: Leaves, leaf: number, slot: number): void {
  flip(leaves, leaf, slot);
  if (continues(leaves, leaf, slot + 1) && isDead(leaves, leaf, slot + 1)) join(leaves, leaf, slot);
  if (continues(leaves, leaf, slot) && isDead(leaves, leaf, slot - 1)) {
    join(leaves, leaf, slot - 1);
    leaves.slot = slot - 1;
  }
}

/** Joins a deleted span with the deleted one that continues it. */
function join(leaves: Leaves, leaf: number, slot: number): void {
  const { spans } = leaves;
  const at = leaves.offset(leaf, slot);
  const gone = spans[at + GAP]!;
  spans[at + LENGTH]! += spans[at + SPAN_INTS + LENGTH]!;
  spans[at + GAP] = spans[at + SPAN_INTS + GAP]!;
  leaves.remove(leaf, slot + 1);
  leaves.gapRaised(leaf, gone);
}

function markHead(leaves: Leaves, leaf: number, slot: number, count: number): void {
  if (continues(leaves, leaf, slot) && isDead(leaves, leaf, slot - 1)) {
    const { spans } = leaves;
    const at = leaves.offset(leaf, slot);
    const before = at - SPAN_INTS;
    const gone = spans[before + GAP]!;
    spans[before + LENGTH]! -= count;
    spans[before + GAP]! += count;
    spans[at + START]! += count;
    spans[at + LENGTH]! -= count;
    spans[at + PARENT_COUNTER]! += count;
    spans[at + DEPTH]! += count;
    leaves.gapRaised(leaf, gone);
    leaves.slot = slot - 1;
    return;
  }
  leaves.open(leaf, slot, 1);
  leaves.cut(leaves.leaf, leaves.slot, count, 1);
  flip(leaves, leaves.leaf, leaves.slot);
}

function markTail(leaves: Leaves, leaf: number, slot: number, count: number, length: number): void {
  const { spans } = leaves;
  const at = leaves.offset(leaf, slot);
  if (continues(leaves, leaf, slot + 1) && isDead(leaves, leaf, slot + 1)) {
    const after = at + SPAN_INTS;
    spans[at + LENGTH]! -= count;
    spans[at + GAP]! -= count;
    spans[after + START]! -= count;
    spans[after + LENGTH]! -= count;
    spans[after + PARENT_COUNTER]! -= count;
    spans[after + DEPTH]! -= count;
    leaves.directory.lower(leaf, spans[at + GAP]!, spans[after + DEPTH]!);
    leaves.slot = slot + 1;
    return;
  }
  leaves.open(leaf, slot, 1);
  leaves.cut(leaves.leaf, leaves.slot, length - count, 1);
  leaves.slot += 1;
  flip(leaves, leaves.leaf, leaves.slot);
}
