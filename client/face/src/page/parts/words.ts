/** What differs within changed lines: which removed line became which added one, and which words of the two are not shared. */
import { diffWordsWithSpace } from 'diff';

/** Parts of a line that its counterpart does not have: from and to, ascending. */
export type Marks = readonly (readonly [from: number, to: number])[];

/** Share of the words of two lines that must be common before one counts as the other, changed. */
const LEAST_ALIKE = 0.4;
/** Lines on a side beyond which only places are compared, and characters beyond which a line is not. */
const MOST_LINES = 60;
const MOST_CHARACTERS = 2_000;
const MOST_EDITS = 400;

const WORD = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/** Counterparts of removed lines: for each the place of the added line that it became, ascending; undefined for none. */
export function counterparts(removed: readonly string[], added: readonly string[]): readonly (number | undefined)[] {
  if (removed.length === 1 && added.length === 1) return [0];
  if (Math.max(removed.length, added.length) > MOST_LINES)
    return removed.length === added.length ? removed.map((_line, at) => at) : removed.map(() => undefined);
  const [before, after] = [removed.map(wordsOf), added.map(wordsOf)];
  const alike = before.map((one) => after.map((other) => likeness(one, other)));
  // best[i][j]: the most that lines from i and from j on can have in common, without crossing.
  const best = Array.from({ length: removed.length + 1 }, () => new Float64Array(added.length + 1));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  const paired = (i: number, j: number): number => {
    const share = alike[i]?.[j] ?? 0;
    return share < LEAST_ALIKE ? -1 : share + at(i + 1, j + 1);
  };
  for (let i = removed.length - 1; i >= 0; i--)
    for (let j = added.length - 1; j >= 0; j--) best[i]![j] = Math.max(paired(i, j), at(i + 1, j), at(i, j + 1));
  const found: (number | undefined)[] = removed.map(() => undefined);
  let [i, j] = [0, 0];
  while (i < removed.length && j < added.length) {
    if (paired(i, j) === at(i, j)) found[i++] = j++;
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return found;
}

function wordsOf(line: string): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const [word] of line.slice(0, MOST_CHARACTERS).matchAll(WORD)) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

/** Share of words that two lines have in common, from 0 to 1. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let [common, all] = [0, 0];
  for (const [word, times] of one) {
    common += Math.min(times, other.get(word) ?? 0);
    all += times;
  }
  for (const times of other.values()) all += times;
  return all === 0 ? 0 : (2 * common) / all;
}

/** Marks of what a line and its counterpart do not share; undefined where that is nearly everything. */
export function wordMarks(before: string, after: string): readonly [Marks, Marks] | undefined {
  if (Math.max(before.length, after.length) > MOST_CHARACTERS) return undefined;
  if (likeness(wordsOf(before), wordsOf(after)) < LEAST_ALIKE) return undefined;
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS });
  if (!parts) return undefined;
  const marks: [[number, number][], [number, number][]] = [[], []];
  const ends: [number, number] = [0, 0];
  for (const { value, added, removed } of parts) {
    const sides = added ? ([1] as const) : removed ? ([0] as const) : ([0, 1] as const);
    for (const side of sides) {
      if (added || removed) marks[side].push([ends[side], ends[side] + value.length]);
      ends[side] += value.length;
    }
  }
  return marks;
}
