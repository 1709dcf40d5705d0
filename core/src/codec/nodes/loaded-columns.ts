/**
 * Checks of columns that were loaded as they lay in memory: whoever follows their numbers stays among what is there.
 *
 * Each is one pass over an array, some ten milliseconds for ten million nodes. Whether the numbers are true is not asked.
 */
import { DecodeError } from '../bytes/bytes.js';
import type { IntColumn } from '../bytes/columns.js';

/** Columns of the same things have as many values. */
export function expectAlike(length: number, columns: readonly IntColumn[]): void {
  if (columns.some((column) => column.length !== length)) refuse('columns of different lengths');
}

/** Ends of parts that follow each other, the last of them `total`. */
export function expectEnds({ values, length }: IntColumn, total: number): void {
  let end = 0;
  for (let i = 0; i < length; i++) {
    if (values[i]! < end) refuse('an end before a beginning');
    end = values[i]!;
  }
  if (end !== total) refuse('another end than its content has');
}

/** Numbers from `least` to below `end`. */
export function expectWithin({ values, length }: IntColumn, least: number, end: number): void {
  for (let i = 0; i < length; i++) if (values[i]! < least || values[i]! >= end) refuse('a number of nothing');
}

/** References of nodes, in their order, to those before them. */
export function expectBefore({ values, length }: IntColumn, least: number): void {
  for (let i = 0; i < length; i++)
    if (values[i]! < least || values[i]! >= i) refuse('a node that stands on a later one');
}

function refuse(what: string): never {
  throw new DecodeError(`a saved table has ${what}`);
}
