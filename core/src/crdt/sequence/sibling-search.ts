/**
 * Where an element goes among siblings: the only part of an insert that can be contested.
 *
 * Order: on both sides of a parent, the sibling that compares smaller stands further left. Siblings are made by
 * people who did not see each other, so any fixed rule would do; with the smaller (earlier) one first, replies
 * to one spot read in the order of their clocks. The rule looks only at the two ids, so arrival order cannot matter.
 *
 * The siblings' subtrees are blocks side by side in the document, and within the parent's subtree exactly the gaps
 * between blocks are as low as the parent's depth. So the way in is found by binary search over the document: take
 * the span in the middle, find the ends of its block, find the block's sibling (the only element one deeper than
 * the parent), compare, drop a half. No list of siblings is kept and no tree is climbed: O(log n) searches whether
 * there are 10,000 siblings or 20,000 levels below one of them.
 */
import { GROUP } from './leaf-directory.js';
import type { Leaves } from './leaves.js';
import { CHAIN, START } from './span-layout.js';
import { nextDepth, nextGap, previousGap } from './span-search.js';

/** Total order of elements: negative when a goes before b. Never asked about equal ids. */
export type ElementOrder = (chainA: number, counterA: number, chainB: number, counterB: number) => number;

export function comesBefore(order: ElementOrder, chainA: number, a: number, chainB: number, b: number): boolean {
  const result = order(chainA, a, chainB, b);
  if (result !== 0) return result < 0;
  throw new Error(`no order between siblings ${chainA}:${a} and ${chainB}:${b}: inserted twice, or not a total order`);
}

/**
 * Finds the span after which a new child goes, among the blocks between two spans: `from` is the span before the
 * first block (slot -1: the document's start), `to` the last span of the last block. Answer in (leaf, slot).
 */
export function findAmongSiblings(
  leaves: Leaves,
  order: ElementOrder,
  chain: number,
  counter: number,
  parentDepth: number,
  fromLeaf: number,
  fromSlot: number,
  toLeaf: number,
  toSlot: number,
): void {
  while (fromLeaf !== toLeaf || fromSlot !== toSlot) {
    stepToMiddle(leaves, fromLeaf, fromSlot, toLeaf, toSlot);
    const { leaf, slot } = leaves;
    nextGap(leaves, leaf, slot, parentDepth);
    const endLeaf = leaves.leaf;
    const endSlot = leaves.slot;
    leaves.stepBack(leaf, slot);
    previousGap(leaves, leaves.leaf, leaves.slot, parentDepth);
    const beforeLeaf = leaves.leaf;
    const beforeSlot = leaves.slot;
    leaves.stepOn(beforeLeaf, beforeSlot);
    nextDepth(leaves, leaves.leaf, leaves.slot, parentDepth + 1);
    const at = leaves.offset(leaves.leaf, leaves.slot);
    if (comesBefore(order, chain, counter, leaves.spans[at + CHAIN]!, leaves.spans[at + START]!)) {
      toLeaf = beforeLeaf;
      toSlot = beforeSlot;
    } else {
      fromLeaf = endLeaf;
      fromSlot = endSlot;
    }
  }
  leaves.leaf = toLeaf;
  leaves.slot = toSlot;
}

/** A span after `from`, at most `to`, about half-way: by groups, then by leaves, then by slots. */
function stepToMiddle(leaves: Leaves, fromLeaf: number, fromSlot: number, toLeaf: number, toSlot: number): void {
  leaves.leaf = fromLeaf;
  leaves.slot = (fromSlot + 1 + toSlot) >> 1;
  if (fromLeaf === toLeaf) return;
  const { directory } = leaves;
  const fromGroup = directory.group[fromLeaf]!;
  const toGroup = directory.group[toLeaf]!;
  let group = fromGroup;
  let member = 0;
  if (fromGroup === toGroup) member = (directory.memberIndex(fromLeaf) + 1 + directory.memberIndex(toLeaf)) >> 1;
  else group = directory.order[(directory.rank[fromGroup]! + 1 + directory.rank[toGroup]!) >> 1]!;
  leaves.leaf = directory.members[group * GROUP + member]!;
  leaves.slot = 0;
}
