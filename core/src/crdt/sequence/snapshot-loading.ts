/**
 * Fills empty leaves from a snapshot: parents are found, one walk over the tree gives depths and gaps, then the rows
 * go straight into leaves.
 *
 * The walk is also the proof that the snapshot is sound. It visits the tree in document order as its parents and the
 * element order say; unless it meets every row exactly where it stands, the snapshot is refused. So a snapshot can
 * neither bring an order that replicas would dispute nor a circle of parents. Linear; nothing recurses.
 */
import { DecodeError } from '../../codec/bytes/bytes.js';
import { ElementIndex } from './element-index.js';
import type { Leaves } from './leaves.js';
import { LEAF } from './leaves.js';
import { RowIndex } from './row-index.js';
import { comesBefore } from './sibling-search.js';
import type { ElementOrder } from './sibling-search.js';
import { CONTINUES, FOLLOWS, NAMED, PRECEDES, lastOf } from './snapshot.js';
import type { SequenceSnapshot } from './snapshot.js';
import {
  CHAIN,
  DEPTH,
  END_GAP,
  GAP,
  LEFT,
  LENGTH,
  MAX_CHAIN,
  MAX_ELEMENTS,
  PARENT,
  PARENT_COUNTER,
  RIGHT,
  ROOT_CHAIN,
  ROOT_DEPTH,
  START,
} from './span-layout.js';

/** Some slots stay free, or the first edits would split every leaf they touch. */
const FILL = LEAF - 8;
const NONE = -1;
/** Elements of a row on average, of which most that were typed have fewer. */
const DENSE = 64;

/** Which row holds an element. */
type Rows = Pick<RowIndex, 'find'>;

/** The snapshot with a parent for every row, and the tree that they make. The root is the row after the last. */
interface RowTree {
  readonly rows: number;
  readonly chains: Int32Array;
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
  /** Parent chain * 2 + side. */
  readonly parents: Int32Array;
  readonly parentCounters: Int32Array;
  /** Which element of the parent's row is the parent. */
  readonly parentOffsets: Int32Array;
  /** Children in document order: per row the first one on each side, per child the next. */
  readonly firstLeft: Int32Array;
  readonly firstRight: Int32Array;
  readonly siblings: Int32Array;
  readonly depths: Int32Array;
  readonly gaps: Int32Array;
}

export function fillLeaves(leaves: Leaves, order: ElementOrder, snapshot: SequenceSnapshot): void {
  const rows = snapshot.chains.length;
  const elements = countElements(snapshot);
  if (rows === 0) return;
  const tree: RowTree = {
    rows,
    chains: snapshot.chains,
    starts: snapshot.starts,
    lengths: snapshot.lengths,
    parents: new Int32Array(rows),
    parentCounters: new Int32Array(rows),
    parentOffsets: new Int32Array(rows),
    firstLeft: new Int32Array(rows + 1).fill(NONE),
    firstRight: new Int32Array(rows + 1).fill(NONE),
    siblings: new Int32Array(rows),
    depths: new Int32Array(rows + 1).fill(ROOT_DEPTH),
    gaps: new Int32Array(rows),
  };
  findParents(tree, snapshot);
  linkChildren(tree, indexRows(tree, elements));
  walk(tree, order);
  layOut(leaves, tree);
  leaves.elements = elements;
}

function countElements({ chains, starts, lengths, origins, parents, parentCounters }: SequenceSnapshot): number {
  const rows = chains.length;
  const isWhole = starts.length === rows && lengths.length === rows && origins.length === rows;
  check(isWhole && parents.length === parentCounters.length, 'its columns differ in length');
  let elements = 0;
  for (let row = 0; row < rows; row++) {
    const chain = chains[row]!;
    const start = starts[row]!;
    const count = Math.abs(lengths[row]!);
    checkRow(chain >= 0 && chain <= MAX_CHAIN && start >= 0, row, 'has no valid id');
    checkRow(count > 0 && count <= MAX_ELEMENTS - start, row, 'has no valid length');
    elements += count;
  }
  check(elements <= MAX_ELEMENTS, 'it has too many elements');
  return elements;
}

function findParents(tree: RowTree, snapshot: SequenceSnapshot): void {
  const { rows, chains, starts, lengths, parents, parentCounters } = tree;
  let named = 0;
  for (let row = 0; row < rows; row++) {
    const origin = snapshot.origins[row]!;
    if (origin === CONTINUES) {
      parents[row] = chains[row]! * 2 + RIGHT;
      parentCounters[row] = starts[row]! - 1;
    } else if (origin === FOLLOWS) {
      check(row > 0, 'the first row follows nothing');
      parents[row] = chains[row - 1]! * 2 + RIGHT;
      parentCounters[row] = lastOf(starts, lengths, row - 1);
    } else if (origin === PRECEDES) {
      check(row + 1 < rows, 'the last row precedes nothing');
      parents[row] = chains[row + 1]! * 2 + LEFT;
      parentCounters[row] = starts[row + 1]!;
    } else {
      checkRow(origin === NAMED && named < snapshot.parents.length, row, 'has no parent');
      parents[row] = snapshot.parents[named]!;
      parentCounters[row] = snapshot.parentCounters[named++]!;
    }
  }
  check(named === snapshot.parents.length, 'it has parents without rows');
}

/** An entry for each element is twice as fast as a search among rows, and is made where rows account for so many. */
function indexRows(tree: RowTree, elements: number): Rows {
  if (elements <= tree.rows * DENSE) return indexElements(tree, elements);
  const index = new RowIndex(tree.chains, tree.starts, tree.lengths);
  const repeated = index.repeated();
  checkRow(repeated < 0, repeated, 'repeats an element');
  return index;
}

function indexElements({ rows, chains, starts, lengths }: RowTree, elements: number): Rows {
  const index = new ElementIndex(elements);
  for (let row = 0; row < rows; row++) {
    const chain = chains[row]!;
    const start = starts[row]!;
    // A row that lies within this one is found out when it is linked: its elements are this row's by then.
    const isNew = index.find(chain, start) < 0 && index.find(chain, lastOf(starts, lengths, row)) < 0;
    checkRow(isNew, row, 'repeats an element');
    index.assign(chain, start, Math.abs(lengths[row]!), row);
  }
  return index;
}

function linkChildren(tree: RowTree, index: Rows): void {
  const { rows, chains, starts, parents, parentCounters, parentOffsets } = tree;
  for (let row = rows - 1; row >= 0; row--) {
    checkRow(index.find(chains[row]!, starts[row]!) === row, row, 'is repeated by another');
    const isLeft = (parents[row]! & 1) === LEFT;
    const chain = parents[row]! >> 1;
    const counter = parentCounters[row]!;
    let parentRow = rows;
    if (chain !== ROOT_CHAIN) {
      parentRow = counter < 0 ? NONE : index.find(chain, counter);
      checkRow(parentRow >= 0, row, 'names a parent that is not in it');
      parentOffsets[row] = counter - starts[parentRow]!;
    }
    checkRow(!isLeft || (parentRow < rows && parentOffsets[row] === 0), row, 'is left of nothing');
    const first = isLeft ? tree.firstLeft : tree.firstRight;
    tree.siblings[row] = first[parentRow]!;
    first[parentRow] = row;
  }
}

function walk(tree: RowTree, order: ElementOrder): void {
  const { rows, firstRight, siblings, parentOffsets, depths, gaps } = tree;
  const path = new Int32Array(rows + 1);
  const visited = new Uint8Array(rows + 1);
  // Per row the next child to go down to: first the left ones, after the visit the right ones.
  const children = tree.firstLeft.slice();
  let level = 0;
  let met = 0;
  // The lowest common ancestor of the row met last and the one to come lies where the walk was least deep.
  let shallowest = ROOT_DEPTH;
  path[0] = rows;
  visited[rows] = 1;
  children[rows] = firstRight[rows]!;
  while (level >= 0) {
    const row = path[level]!;
    const child = children[row]!;
    if (child !== NONE) {
      const parentDepth = depths[row]! + parentOffsets[child]!;
      checkOrder(tree, order, row, child);
      depths[child] = parentDepth + 1;
      if (parentDepth < shallowest) shallowest = parentDepth;
      children[row] = siblings[child]!;
      path[++level] = child;
    } else if (visited[row] === 0) {
      checkRow(row === met, met, 'is not where its parent says');
      if (met > 0) gaps[met - 1] = Math.min(shallowest, depths[row]!);
      met++;
      visited[row] = 1;
      shallowest = MAX_ELEMENTS;
      children[row] = firstRight[row]!;
    } else level--;
  }
  check(met === rows, 'some of its rows hang on nothing');
  gaps[rows - 1] = END_GAP;
}

/** A child must come before its next sibling, and after what its parent's own row puts between. */
function checkOrder(tree: RowTree, order: ElementOrder, row: number, child: number): void {
  const { chains, starts, parentOffsets } = tree;
  const chain = chains[child]!;
  const start = starts[child]!;
  const offset = parentOffsets[child]!;
  const next = tree.siblings[child]!;
  if (next !== NONE) {
    const nextOffset = parentOffsets[next]!;
    const isRival = nextOffset === offset && comesBefore(order, chain, start, chains[next]!, starts[next]!);
    checkRow(nextOffset < offset || isRival, next, 'stands on the wrong side of its sibling');
  }
  if (row === tree.rows || (tree.parents[child]! & 1) === LEFT) return;
  if (offset === Math.abs(tree.lengths[row]!) - 1) return;
  const isBehind = comesBefore(order, chains[row]!, starts[row]! + offset + 1, chain, start);
  checkRow(isBehind, child, "stands on the wrong side of its parent's next element");
}

function layOut(leaves: Leaves, tree: RowTree): void {
  const { chains, starts, lengths, parents, parentCounters, depths, gaps } = tree;
  const leafCount = Math.ceil(tree.rows / FILL);
  leaves.reserve(leafCount);
  leaves.directory.reserveLeaves(leafCount);
  const { spans } = leaves;
  for (let leaf = 0, row = 0; leaf < leafCount; leaf++) {
    const count = Math.min(FILL, tree.rows - row);
    leaves.directory.count[leaf] = count;
    for (let slot = 0; slot < count; slot++, row++) {
      const at = leaves.offset(leaf, slot);
      spans[at + START] = starts[row]!;
      spans[at + LENGTH] = lengths[row]!;
      spans[at + CHAIN] = chains[row]!;
      spans[at + PARENT] = parents[row]!;
      spans[at + PARENT_COUNTER] = parentCounters[row]!;
      spans[at + DEPTH] = depths[row]!;
      spans[at + GAP] = gaps[row]!;
    }
    leaves.measure(leaf);
  }
  leaves.directory.arrange(leafCount);
}

function check(isSound: boolean, fault: string): void {
  if (!isSound) throw new DecodeError(`cannot load this sequence snapshot: ${fault}`);
}

// Asked several times per row, so the message is put together only when it is needed.
function checkRow(isSound: boolean, row: number, fault: string): void {
  if (!isSound) check(false, `row ${row} ${fault}`);
}
