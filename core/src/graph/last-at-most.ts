/** Bisection of ascending numbers. */
import type { Numbers } from '../codec/bytes/log-column.js';

/** The index of the last value that is at most `value`, in an ascending column; -1 for none. */
export function lastAtMost(column: Numbers, value: number): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column.get(middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
