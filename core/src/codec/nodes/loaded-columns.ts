/**
 * Checks of columns that were loaded as they lay in memory: whoever follows their numbers stays among what is there.
 *
 * Each is one pass over an array, some ten milliseconds for ten million nodes; of what is packed, a block at a time where its line
 * tells. Whether the numbers are true is not asked.
 */
import { DecodeError } from '../bytes/bytes.js';
import { type Numbers, piecesOf } from '../bytes/log-column.js';

/** Columns of the same things have as many values. */
export function expectAlike(length: number, columns: readonly { readonly length: number }[]): void {
  if (columns.some((column) => column.length !== length)) refuse('columns of different lengths');
}

/** Ends of parts that follow each other, the last of them `total`. */
export function expectEnds(column: Numbers, total: number): void {
  let end = 0;
  for (const { from, to, base, step, above } of piecesOf(column)) {
    const rises = above === 0 && step >= 0 && base >= end;
    for (let i = rises ? to - 1 : from; i < to; i++) {
      const next = column.get(i);
      if (next < end) refuse('an end before a beginning');
      end = next;
    }
  }
  if (end !== total) refuse('another end than its content has');
}

/** Numbers from `least` to below `end`. */
export function expectWithin(column: Numbers, least: number, end: number): void {
  for (const { from, to, base, step, above } of piecesOf(column)) {
    const last = base + step * (to - from - 1);
    if (Math.min(base, last) >= least && Math.max(base, last) + above < end) continue;
    for (let i = from; i < to; i++) {
      const number = column.get(i);
      if (number < least || number >= end) refuse('a number of nothing');
    }
  }
}

/** References of nodes, in their order, to those before them. */
export function expectBefore(column: Numbers, least: number): void {
  for (const { from, to, base, step, above } of piecesOf(column)) {
    if (step >= 0 && step <= 1 && base >= least && base + above < from) continue;
    for (let i = from; i < to; i++) {
      const reference = column.get(i);
      if (reference < least || reference >= i) refuse('a node that stands on a later one');
    }
  }
}

function refuse(what: string): never {
  throw new DecodeError(`a saved table has ${what}`);
}
