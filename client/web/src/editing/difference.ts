/** What lies between two texts, and where positions are afterwards. */
import type { TextDelta } from '@weft/core/client';

export interface Difference {
  readonly start: number;
  readonly gone: number;
  readonly typed: string;
}

/**
 * What one edit has done, whole characters at both ends. Where it may have been done in several places, a letter typed beside
 * its like, it ended at the caret.
 */
export function differenceOf(before: string, after: string, caret = after.length): Difference {
  const shorter = Math.min(before.length, after.length);
  const most = Math.min(shorter, after.length - caret);
  let end = 0;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  let start = 0;
  while (start < shorter - end && before[start] === after[start]) start++;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  if (start > 0 && isHigh(before, start - 1)) start--;
  if (end > 0 && isLow(before, before.length - end)) end--;
  return { start, gone: before.length - start - end, typed: after.slice(start, after.length - end) };
}

/** Delta of one difference; empty where the texts are equal. */
export function deltaBetween(before: string, after: string): TextDelta {
  const { start, gone, typed } = differenceOf(before, after);
  if (gone === 0 && typed === '') return [];
  return [{ retain: start }, { delete: gone }, { insert: typed }];
}

/** Where a position is after a delta. What is inserted at it comes behind it. */
export function through(delta: TextDelta, position: number): number {
  let at = 0;
  let moved = position;
  for (const step of delta) {
    if (at > position) break;
    if ('retain' in step) at += step.retain;
    else if ('insert' in step) moved += at < position ? step.insert.length : 0;
    else {
      moved -= Math.min(position - at, step.delete);
      at += step.delete;
    }
  }
  return moved;
}

function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
