/**
 * How one span lies in memory: seven 32-bit integers, 28 bytes.
 *
 * A span is a maximal stretch of elements that are consecutive in counter, each the right child of the one
 * before, neighbours in document order and alike in being deleted or not. Only its first element has a parent
 * worth storing.
 *
 * Two of the fields make the tree searchable without ever climbing it:
 * - DEPTH: tree depth of the first element (the virtual root has 0); the n-th element lies n deeper.
 * - GAP: depth of the lowest common ancestor of the span's last element and the element after it, -1 at the end
 *   of the document. An element never moves, so a depth never changes, and an insert changes at most one gap.
 *
 * What follows from them: the last element has right children exactly if GAP equals its own depth; the first has
 * left children exactly if the GAP before it equals its depth; a subtree ends at the first GAP below its depth.
 */
export const START = 0;
/** Number of elements; negative when they are deleted. */
export const LENGTH = 1;
export const CHAIN = 2;
/** Parent chain and side in one: chain * 2 + side. */
export const PARENT = 3;
export const PARENT_COUNTER = 4;
export const DEPTH = 5;
export const GAP = 6;
export const SPAN_INTS = 7;

export const LEFT = 0;
export const RIGHT = 1;
export type Side = typeof LEFT | typeof RIGHT;

/** The chain of the virtual element before the document; everything descends from its right side. */
export const ROOT_CHAIN = -1;
export const ROOT_DEPTH = 0;
export const END_GAP = -1;

/** Bounds that keep every field within 32 bits. */
export const MAX_ELEMENTS = 0x7fffffff;
export const MAX_CHAIN = 0x3fffffff;
