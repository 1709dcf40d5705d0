/**
 * Steps from one document to another that touch no more than they must: what stays keeps its positions, so selections,
 * decorations and what an input method composes stay too.
 */
import { Fragment, type Mark, type Node, Slice } from 'prosemirror-model';
import type { Transaction } from 'prosemirror-state';
import { AddMarkStep, RemoveMarkStep, ReplaceAroundStep, ReplaceStep, type Step } from 'prosemirror-transform';
import { OBJECT_CHARACTER } from './lines.js';
import { differenceOf } from '../editing/difference.js';
import { rangeBetween } from './ranges.js';

/** Makes the document of a transaction the one that is given. */
export function patch(tr: Transaction, doc: Node): void {
  patchContent(tr, tr.doc, doc, 0);
  if (!tr.doc.eq(doc)) tr.replaceWith(0, tr.doc.content.size, doc.content);
}

/** From the end to the begin, so that positions before are what they were. `start` is where the content begins. */
function patchContent(tr: Transaction, a: Node, b: Node, start: number): void {
  if (a.inlineContent && b.inlineContent) return patchText(tr, a, b, start);
  const [olds, news] = [childrenOf(a), childrenOf(b)];
  for (const { fromA, toA, fromB, toB } of gapsOf(olds, news).reverse()) {
    const pos = start + sizeOf(olds, 0, fromA);
    if (toA - fromA === toB - fromB)
      for (let i = toA - fromA - 1; i >= 0; i--)
        patchNode(tr, olds[fromA + i]!, news[fromB + i]!, pos + sizeOf(olds, fromA, fromA + i));
    else replaceBetween(tr, a, olds.slice(fromA, toA), news.slice(fromB, toB), pos);
  }
}

function patchNode(tr: Transaction, a: Node, b: Node, pos: number): void {
  if (a.eq(b)) return;
  const whole = (): void => void tried(tr, new ReplaceStep(pos, pos + a.nodeSize, new Slice(Fragment.from(b), 0, 0)));
  if (a.isLeaf || b.isLeaf || a.inlineContent !== b.inlineContent) return whole();
  if (a.sameMarkup(b)) return patchContent(tr, a, b, pos + 1);
  if (a.type !== b.type && !a.inlineContent) return whole();
  const shell = new Slice(Fragment.from(b.copy(Fragment.empty)), 0, 0);
  const end = pos + a.nodeSize;
  if (tried(tr, new ReplaceAroundStep(pos, end, pos + 1, end - 1, shell, 1, true))) patchContent(tr, a, b, pos + 1);
  else whole();
}

/** Blocks that have become more, or fewer: what lies between where they begin and end alike. */
function replaceBetween(tr: Transaction, parent: Node, a: readonly Node[], b: readonly Node[], pos: number): void {
  const [old, now] = [parent.copy(Fragment.from(a as Node[])), parent.copy(Fragment.from(b as Node[]))];
  const range = rangeBetween(old, now);
  if (!range) return;
  const { fromA, toA, fromB, toB } = range;
  if (tried(tr, new ReplaceStep(pos + fromA, pos + toA, now.slice(fromB, toB)))) {
    const size = now.content.size - old.content.size;
    if (tr.doc.slice(pos, pos + old.content.size + size).content.eq(now.content)) return;
    tr.replaceWith(pos, pos + old.content.size + size, now.content);
  } else tr.replaceWith(pos, pos + old.content.size, now.content);
}

function patchText(tr: Transaction, a: Node, b: Node, start: number): void {
  const [old, now] = [inlineOf(a), inlineOf(b)];
  const { start: same, gone, typed } = differenceOf(old.units, now.units);
  const [from, toA, toB] = [same, same + gone, same + typed.length];
  if (gone > 0 || typed !== '') {
    const content = b.slice(now.offsets[from]!, now.offsets[toB]!);
    tried(tr, new ReplaceStep(start + old.offsets[from]!, start + old.offsets[toA]!, content));
  }
  patchMarks(tr, b, start);
}

function patchMarks(tr: Transaction, b: Node, start: number): void {
  const parent = tr.doc.resolve(start).parent;
  const [old, now] = [inlineOf(parent), inlineOf(b)];
  if (old.units !== now.units) return;
  const count = now.units.length;
  for (let from = 0, to = 0; from < count; from = to) {
    const [was, is] = [old.nodes[from]!, now.nodes[from]!];
    to = from + 1;
    while (to < count && old.nodes[to] === was && now.nodes[to] === is) to++;
    const [pos, end] = [start + now.offsets[from]!, start + now.offsets[to]!];
    if (was.mark(is.marks).eq(is) || (was.isText && is.isText)) markAs(tr, pos, end, was.marks, is.marks);
    else {
      const size = was.isText ? 1 : was.nodeSize;
      tried(tr, new ReplaceStep(pos, pos + size, b.slice(now.offsets[from]!, now.offsets[to]!)));
      // What is behind has other positions now.
      if (size !== end - pos) return patchMarks(tr, b, start);
    }
  }
}

function markAs(tr: Transaction, from: number, to: number, was: readonly Mark[], is: readonly Mark[]): void {
  for (const mark of was) if (!mark.isInSet(is)) tr.step(new RemoveMarkStep(from, to, mark));
  for (const mark of is) if (!mark.isInSet(was)) tr.step(new AddMarkStep(from, to, mark));
}

interface Inline {
  readonly units: string;
  /** Node of each unit. */
  readonly nodes: readonly Node[];
  /** Offset of each unit in the content, and that of its end. */
  readonly offsets: readonly number[];
}

function inlineOf(parent: Node): Inline {
  const [nodes, offsets]: [Node[], number[]] = [[], []];
  let units = '';
  parent.forEach((child, offset) => {
    const text = child.isText ? (child.text ?? '') : OBJECT_CHARACTER;
    units += text;
    for (let i = 0; i < text.length; i++) {
      nodes.push(child);
      offsets.push(offset + i);
    }
  });
  offsets.push(parent.content.size);
  return { units, nodes, offsets };
}

function tried(tr: Transaction, step: Step): boolean {
  return tr.maybeStep(step).failed === null;
}

interface Gap {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** What lies between nodes that are the very same in both. */
function gapsOf(a: readonly Node[], b: readonly Node[]): Gap[] {
  const gaps: Gap[] = [];
  let [start, endA, endB] = [0, a.length, b.length];
  while (start < endA && start < endB && a[start] === b[start]) start++;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const places = new Map<Node, number>();
  for (let i = endA - 1; i >= start; i--) places.set(a[i]!, i);
  let [fromA, fromB] = [start, start];
  for (let i = start; i < endB; i++) {
    const at = places.get(b[i]!);
    if (at === undefined || at < fromA) continue;
    if (at > fromA || i > fromB) gaps.push({ fromA, toA: at, fromB, toB: i });
    [fromA, fromB] = [at + 1, i + 1];
  }
  if (endA > fromA || endB > fromB) gaps.push({ fromA, toA: endA, fromB, toB: endB });
  return gaps;
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  node.forEach((child) => void children.push(child));
  return children;
}

function sizeOf(nodes: readonly Node[], from: number, to: number): number {
  let size = 0;
  for (let i = from; i < to; i++) size += nodes[i]!.nodeSize;
  return size;
}
