/**
 * Reading a sequence as runs, in document order or in one chain's counter order.
 *
 * How the spans happen to be cut depends on the history of this replica; runs are joined here as far as they go, so
 * equal sequences read equal everywhere. That is what hashes are made of.
 */
import type { Leaves } from './leaves.js';
import { CHAIN, LENGTH, PARENT, PARENT_COUNTER, RIGHT, START } from './span-layout.js';
import type { Side } from './span-layout.js';

/** Visitor of elements of one chain that stand together in the document. */
export type PieceVisitor = (counter: number, count: number, deleted: boolean) => void;

export type SpanVisitor = (chain: number, counter: number, count: number, deleted: boolean) => void;

/** The parent is the run's first element's; each further element is the right child of the one before. */
export type RunVisitor = (
  counter: number,
  count: number,
  parentChain: number,
  parentCounter: number,
  side: Side,
  deleted: boolean,
) => void;

export function eachSpan(leaves: Leaves, visit: SpanVisitor): void {
  const { directory, spans } = leaves;
  let chain = 0;
  let counter = 0;
  let length = 0;
  for (let leaf = directory.first; leaf >= 0; leaf = directory.next[leaf]!) {
    for (let slot = 0; slot < directory.count[leaf]!; slot++) {
      const at = leaves.offset(leaf, slot);
      const more = spans[at + LENGTH]!;
      const isSame = spans[at + CHAIN] === chain && spans[at + START] === counter + Math.abs(length);
      if (isSame && length !== 0 && length > 0 === more > 0) {
        length += more;
        continue;
      }
      if (length !== 0) visit(chain, counter, Math.abs(length), length < 0);
      chain = spans[at + CHAIN]!;
      counter = spans[at + START]!;
      length = more;
    }
  }
  if (length !== 0) visit(chain, counter, Math.abs(length), length < 0);
}

export function eachRun(leaves: Leaves, chain: number, from: number, to: number, visit: RunVisitor): void {
  const { spans } = leaves;
  let counter = 0;
  let count = 0;
  let parent = 0;
  let parentCounter = 0;
  let isDeleted = false;
  const index = leaves.needIndex();
  for (let at = index.nextHeld(chain, from, to); at < to; at = index.nextHeld(chain, at, to)) {
    leaves.locate(chain, at);
    const span = leaves.offset(leaves.leaf, leaves.slot);
    const length = spans[span + LENGTH]!;
    const start = spans[span + START]!;
    const taken = Math.min(to, start + Math.abs(length)) - at;
    const isFirst = at === start;
    const itsParent = isFirst ? spans[span + PARENT]! : chain * 2 + RIGHT;
    const itsCounter = isFirst ? spans[span + PARENT_COUNTER]! : at - 1;
    const isChained = itsParent === chain * 2 + RIGHT && itsCounter === at - 1;
    if (count > 0 && isChained && at === counter + count && isDeleted === length < 0) count += taken;
    else {
      if (count > 0) visit(counter, count, parent >> 1, parentCounter, (parent & 1) as Side, isDeleted);
      counter = at;
      count = taken;
      parent = itsParent;
      parentCounter = itsCounter;
      isDeleted = length < 0;
    }
    at += taken;
  }
  if (count > 0) visit(counter, count, parent >> 1, parentCounter, (parent & 1) as Side, isDeleted);
}

/** Pieces of one chain's counters [from, to), in counter order, cut wherever something may stand between two elements. */
export function eachPiece(leaves: Leaves, chain: number, from: number, to: number, visit: PieceVisitor): void {
  const { spans } = leaves;
  const index = leaves.needIndex();
  for (let at = index.nextHeld(chain, from, to); at < to; at = index.nextHeld(chain, at, to)) {
    leaves.locate(chain, at);
    const span = leaves.offset(leaves.leaf, leaves.slot);
    const length = spans[span + LENGTH]!;
    const taken = Math.min(to, spans[span + START]! + Math.abs(length)) - at;
    visit(at, taken, length < 0);
    at += taken;
  }
}
