/**
 * Delta of a text or list: how what was there before becomes what is there now, in document order. [CE2]
 *
 * Lengths are UTF-16 code units of a text and items of a list. An item that was moved is deleted in one place and inserted
 * in the other.
 */
import type { Run } from './runs.js';
import type { Sequence } from './sequence/sequence.js';
import type { TouchedElements } from './touched.js';

/** One step of a delta; content is a string, or an array of items. */
export type Step<Content> =
  | { readonly retain: number; readonly attributes?: Attributes }
  | { readonly insert: Content; readonly attributes?: Attributes }
  | { readonly delete: number };

/** Marks that characters were given, by name; null where one was taken away. Of texts that `richText` was asked for. [MK4] */
export type Attributes = Readonly<Record<string, unknown>>;

export type TextDelta = readonly Step<string>[];
export type ListDelta = readonly Step<readonly unknown[]>[];

/** How content is read and put together. */
export interface ContentOf<Content> {
  read(chain: number, counter: number, count: number): Content;
  join(before: Content, after: Content): Content;
}

interface Piece extends Run {
  readonly position: number;
  readonly isGone: boolean;
}

/** Delta of what was touched, as the sequence stands now. */
export function deltaOf<Content>(
  sequence: Sequence,
  touched: TouchedElements,
  content: ContentOf<Content>,
): Step<Content>[] {
  const pieces = [...piecesOf(sequence, touched.hidden, true), ...piecesOf(sequence, touched.inserted, false)];
  // What went stands before what is visible at its position.
  pieces.sort((a, b) => a.position - b.position || Number(b.isGone) - Number(a.isGone));
  const delta: Step<Content>[] = [];
  let at = 0;
  for (const { position, isGone, chain, counter, count } of pieces) {
    if (position > at) delta.push({ retain: position - at });
    at = isGone ? position : position + count;
    const last = delta.at(-1);
    if (isGone && last && 'delete' in last) delta[delta.length - 1] = { delete: last.delete + count };
    else if (isGone) delta.push({ delete: count });
    else {
      const inserted = content.read(chain, counter, count);
      if (last && 'insert' in last) delta[delta.length - 1] = { insert: content.join(last.insert, inserted) };
      else delta.push({ insert: inserted });
    }
  }
  return delta;
}

function piecesOf(sequence: Sequence, runs: readonly Run[], isGone: boolean): Piece[] {
  const found: Run[] = [];
  for (const { chain, counter: from, count: all } of runs)
    sequence.forEachPiece(chain, from, from + all, (counter, count, deleted) => {
      if (deleted === isGone) found.push({ chain, counter, count });
    });
  return found.map((run) => ({ ...run, isGone, position: sequence.positionOf(run.chain, run.counter) }));
}

/** Delta between two states of which no names are known: what they begin and end with alike is kept. */
export function differenceOf<Content extends string | readonly unknown[]>(
  before: Content,
  after: Content,
  isSame: (a: number, b: number) => boolean,
  part: (from: number, to: number) => Content,
): Step<Content>[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(start, start)) start++;
  let end = 0;
  while (end < shorter - start && isSame(before.length - 1 - end, after.length - 1 - end)) end++;
  if (typeof before === 'string') {
    // Never between the halves of a character: who applies it may hold no half.
    if (start > 0 && isHalf(before, start - 1, 0xd800)) start--;
    if (end > 0 && isHalf(before, before.length - end, 0xdc00)) end--;
  }
  const delta: Step<Content>[] = [];
  if (start > 0) delta.push({ retain: start });
  if (before.length > start + end) delta.push({ delete: before.length - start - end });
  if (after.length > start + end) delta.push({ insert: part(start, after.length - end) });
  return delta.some((step) => !('retain' in step)) ? delta : [];
}

function isHalf(text: string, at: number, begin: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === begin;
}
