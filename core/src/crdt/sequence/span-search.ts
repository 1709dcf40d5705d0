/**
 * The nearest span, onwards or backwards, whose GAP or DEPTH is at most a limit: how subtrees are measured.
 *
 * Leaves and groups whose minimum is above the limit are skipped unopened, so a search reads at most two leaves,
 * two groups and the list of groups, however deep or wide the tree is. Minima may be too low, never too high, so
 * a leaf that disappoints is just passed. Answers are left in `leaves.leaf` and `leaves.slot`.
 */
import { GROUP } from './leaf-directory.js';
import type { Leaves } from './leaves.js';
import { LEAF_INTS } from './leaves.js';
import { DEPTH, GAP, SPAN_INTS } from './span-layout.js';

/** The first span at or after a spot whose gap is at most `limit`; the document's last gap ends every search. */
export function nextGap(leaves: Leaves, leaf: number, slot: number, limit: number): void {
  const { directory } = leaves;
  searchOn(leaves, GAP, directory.minGap, directory.groupMinGap, leaf, slot, limit);
}

/** The first span at or after a spot whose first element is at most `limit` deep. */
export function nextDepth(leaves: Leaves, leaf: number, slot: number, limit: number): void {
  const { directory } = leaves;
  searchOn(leaves, DEPTH, directory.minDepth, directory.groupMinDepth, leaf, slot, limit);
}

/** The last span at or before a spot whose gap is at most `limit`, or the spot before the document. */
export function previousGap(leaves: Leaves, leaf: number, slot: number, limit: number): void {
  const { directory } = leaves;
  leaves.leaf = leaf;
  leaves.slot = scanBack(leaves, leaf, slot, limit);
  if (leaves.slot >= 0) return;
  let member = directory.memberIndex(leaf) - 1;
  for (let rank = directory.rank[directory.group[leaf]!]!; rank >= 0; rank--) {
    const group = directory.order[rank]!;
    if (directory.groupMinGap[group]! <= limit) {
      for (; member >= 0; member--) {
        const at = directory.members[group * GROUP + member]!;
        if (directory.minGap[at]! > limit) continue;
        leaves.leaf = at;
        leaves.slot = scanBack(leaves, at, directory.count[at]! - 1, limit);
        if (leaves.slot >= 0) return;
      }
    }
    if (rank > 0) member = directory.memberCount[directory.order[rank - 1]!]! - 1;
  }
  leaves.leaf = directory.first;
  leaves.slot = -1;
}

function searchOn(
  leaves: Leaves,
  field: number,
  leafMinima: Int32Array,
  groupMinima: Int32Array,
  leaf: number,
  slot: number,
  limit: number,
): void {
  const { directory } = leaves;
  leaves.leaf = leaf;
  leaves.slot = scanOn(leaves, field, leaf, slot, limit);
  if (leaves.slot >= 0) return;
  let member = directory.memberIndex(leaf) + 1;
  for (let rank = directory.rank[directory.group[leaf]!]!; rank < directory.groupCount; rank++, member = 0) {
    const group = directory.order[rank]!;
    if (groupMinima[group]! > limit) continue;
    for (; member < directory.memberCount[group]!; member++) {
      const at = directory.members[group * GROUP + member]!;
      if (leafMinima[at]! > limit) continue;
      leaves.leaf = at;
      leaves.slot = scanOn(leaves, field, at, 0, limit);
      if (leaves.slot >= 0) return;
    }
  }
  throw new Error(`sequence is damaged: no span with field ${field} at most ${limit}`);
}

function scanOn(leaves: Leaves, field: number, leaf: number, slot: number, limit: number): number {
  const { spans } = leaves;
  const base = leaf * LEAF_INTS + field;
  const count = leaves.directory.count[leaf]!;
  for (let i = slot; i < count; i++) if (spans[base + i * SPAN_INTS]! <= limit) return i;
  return -1;
}

function scanBack(leaves: Leaves, leaf: number, slot: number, limit: number): number {
  const { spans } = leaves;
  const base = leaf * LEAF_INTS + GAP;
  for (let i = slot; i >= 0; i--) if (spans[base + i * SPAN_INTS]! <= limit) return i;
  return -1;
}
