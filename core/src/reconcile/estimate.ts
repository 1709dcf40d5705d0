/**
 * How many ids two sets differ in, from the counts of a few symbols of their difference. [RC4]
 *
 * An id of the difference adds 1 or -1 to each cell that it is in, so the counts scatter as its size does: the variance at
 * a chance p is p(1 - p) for each id. 32 symbols tell it to about a quarter, 150 to a tenth.
 */
import type { Cells } from './cells.js';

/** Estimates how many ids are in a difference of which `surplus` more are theirs than ours. */
export function estimate(difference: Cells, surplus: number): number {
  let squares = 0;
  let variances = 0;
  for (let cell = 1; cell < difference.length; cell++) {
    const chance = 2 / (cell + 2);
    squares += (difference.countAt(cell) - surplus * chance) ** 2;
    variances += chance * (1 - chance);
  }
  return Math.max(1, Math.abs(surplus), Math.round(squares / variances));
}

/** An estimate from the first few symbols alone is rough. */
const FEW = 64;

/** How many symbols probably tell a difference of so many ids, of which fewer were not enough. */
export function symbolsFor(ids: number, before: number): number {
  return Math.max(Math.ceil(ids * (before < FEW ? 1.75 : 1.55) + 16), Math.ceil(before * 1.25));
}
