/** Near misses: the known word that somebody most likely meant, by the letters that differ. */

/** Words that differ in more than a third of their letters are others. */
const SHARE = 3;

export function nearest(word: string, known: Iterable<string>): string | undefined {
  let found: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceBetween(word, name);
    if (
      distance <= Math.max(1, Math.floor(Math.max(word.length, name.length) / SHARE)) &&
      distance < (found?.distance ?? 9)
    )
      found = { name, distance };
  }
  return found?.name;
}

/** Damerau-Levenshtein distance: letters put in, left out, replaced, or swapped with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(last[j]! + 1, row[j - 1]! + 1, replaced, isSwap ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY),
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
