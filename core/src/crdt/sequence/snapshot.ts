/**
 * A sequence as columns, one row per run in document order: what to write down to get it back.
 *
 * Nothing derivable is in it: depths and gaps follow from the order and the parents, and most parents follow from
 * the order too. Rows are joined as far as they go, so equal sequences give equal columns. The caller packs the
 * columns as it likes; small differences between neighbours make them deflate well. A few bytes of columns can claim two
 * thousand million elements, so nothing that reads them makes room for more than rows.
 */
import type { Leaves } from './leaves.js';
import { CHAIN, LEFT, LENGTH, PARENT, PARENT_COUNTER, RIGHT, START } from './span-layout.js';

export interface SequenceSnapshot {
  readonly chains: Int32Array;
  readonly starts: Int32Array;
  /** Number of elements, negative when deleted. */
  readonly lengths: Int32Array;
  /** How each row's parent is found: one of the four below. */
  readonly origins: Uint8Array;
  /** Parents of `NAMED` rows in turn: parent chain * 2 + side, and parent counter. */
  readonly parents: Int32Array;
  readonly parentCounters: Int32Array;
}

/** Right child of the element with the counter before, wherever that lies. */
export const CONTINUES = 0;
/** Right child of the last element of the row before. */
export const FOLLOWS = 1;
/** Left child of the first element of the row after. */
export const PRECEDES = 2;
export const NAMED = 3;

export function takeSnapshot(leaves: Leaves): SequenceSnapshot {
  const { directory, spans } = leaves;
  let most = 0;
  for (let leaf = 0; leaf < directory.leafCount; leaf++) most += directory.count[leaf]!;
  const chains = new Int32Array(most);
  const starts = new Int32Array(most);
  const lengths = new Int32Array(most);
  const parents = new Int32Array(most);
  const parentCounters = new Int32Array(most);
  let last = -1;
  let end = 0;
  leaves.leaf = directory.first;
  leaves.slot = -1;
  while (leaves.stepOn(leaves.leaf, leaves.slot)) {
    const at = leaves.offset(leaves.leaf, leaves.slot);
    const chain = spans[at + CHAIN]!;
    const start = spans[at + START]!;
    const length = spans[at + LENGTH]!;
    const parent = spans[at + PARENT]!;
    const parentCounter = spans[at + PARENT_COUNTER]!;
    const isContinued = last >= 0 && parent === chains[last]! * 2 + RIGHT && parentCounter === end - 1;
    const isSameRun = isContinued && chain === chains[last] && start === end && lengths[last]! > 0 === length > 0;
    end = start + Math.abs(length);
    if (isSameRun) {
      lengths[last]! += length;
      continue;
    }
    last++;
    chains[last] = chain;
    starts[last] = start;
    lengths[last] = length;
    parents[last] = parent;
    parentCounters[last] = parentCounter;
  }
  const rows = last + 1;
  const origins = new Uint8Array(rows);
  let named = 0;
  for (let row = 0; row < rows; row++) {
    const parent = parents[row]!;
    const parentCounter = parentCounters[row]!;
    if (parent === chains[row]! * 2 + RIGHT && parentCounter === starts[row]! - 1) origins[row] = CONTINUES;
    else if (row > 0 && parent === chains[row - 1]! * 2 + RIGHT && parentCounter === lastOf(starts, lengths, row - 1)) {
      origins[row] = FOLLOWS;
    } else if (row + 1 < rows && parent === chains[row + 1]! * 2 + LEFT && parentCounter === starts[row + 1]) {
      origins[row] = PRECEDES;
    } else {
      origins[row] = NAMED;
      parents[named] = parent;
      parentCounters[named++] = parentCounter;
    }
  }
  return {
    chains: chains.slice(0, rows),
    starts: starts.slice(0, rows),
    lengths: lengths.slice(0, rows),
    origins,
    parents: parents.slice(0, named),
    parentCounters: parentCounters.slice(0, named),
  };
}

/** The counter of a row's last element. */
export function lastOf(starts: Int32Array, lengths: Int32Array, row: number): number {
  return starts[row]! + Math.abs(lengths[row]!) - 1;
}
