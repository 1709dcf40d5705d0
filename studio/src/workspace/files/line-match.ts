/**
 * Line matching: where some lines stand in a text, exactly or but for blanks. Models copy lines with another indentation or without
 * blanks at the end; what they meant is taken only where it can be one place alone.
 */

/** How lines are compared, strictest first. */
export const EXACTNESS = ['exact', 'blanks at the end', 'indentation'] as const;
export type Exactness = (typeof EXACTNESS)[number];

const READINGS: Readonly<Record<Exactness, (line: string) => string>> = {
  exact: (line) => line,
  'blanks at the end': (line) => line.trimEnd(),
  indentation: (line) => line.trim(),
};

/** Lines without their breaks; a carriage return belongs to its line. */
export function splitLines(text: string): string[] {
  return text.split('\n');
}

/** Indexes from `from` on at which all of `wanted` stand one below the other. */
export function placesOf(
  lines: readonly string[],
  wanted: readonly string[],
  exactness: Exactness,
  from = 0,
): readonly number[] {
  const read = READINGS[exactness];
  const sought = wanted.map(read);
  if (sought.length === 0 || sought.every((line) => line === '')) return [];
  const found: number[] = [];
  for (let at = from; at + sought.length <= lines.length; at++)
    if (sought.every((line, index) => read(lines[at + index]!) === line)) found.push(at);
  return found;
}

export interface Nearest {
  /** Index of its first line. */
  readonly at: number;
  /** Lines of it that are as they were wanted, but for blanks. */
  readonly same: number;
  /** Offset of the first line that is not. */
  readonly differs: number;
}

/** Bounds of the comparison: a great text is compared from its beginning. */
const MOST_WANTED = 200;
const MOST_LINES = 50_000;

/** Place that has most of the wanted lines; undefined where not even one is similar. */
export function nearestTo(lines: readonly string[], wanted: readonly string[]): Nearest | undefined {
  const sought = wanted.slice(0, MOST_WANTED).map((line) => line.trim());
  const given = lines.slice(0, MOST_LINES).map((line) => line.trim());
  let best: Nearest | undefined;
  for (let at = 0; at < given.length; at++) {
    let [same, differs] = [0, -1];
    for (const [index, line] of sought.entries())
      if (line === given[at + index]) same += line === '' ? 0 : 1;
      else if (differs < 0) differs = index;
    if (same > (best?.same ?? 0)) best = { at, same, differs: Math.max(differs, 0) };
  }
  return best ?? mostSimilar(given, sought);
}

/** Line most similar to the first wanted one that is not empty, by the words that both have. */
function mostSimilar(given: readonly string[], sought: readonly string[]): Nearest | undefined {
  const first = sought.findIndex((line) => line !== '');
  const words = new Set(wordsOf(sought[first] ?? ''));
  let best: { readonly at: number; readonly share: number } | undefined;
  for (const [at, line] of given.entries()) {
    const own = new Set(wordsOf(line));
    const both = [...own].filter((word) => words.has(word)).length;
    const share = both / Math.max(own.size, words.size, 1);
    if (share > (best?.share ?? LEAST_SHARE)) best = { at, share };
  }
  return best && { at: Math.max(best.at - first, 0), same: 0, differs: Math.max(first, 0) };
}

/** Share of words in common from which lines are called similar. */
const LEAST_SHARE = 0.3;

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Lines as they fit in place of others: with the indentation and the line breaks that are there. */
export function fittedTo(there: readonly string[], wanted: readonly string[], now: readonly string[]): string[] {
  const index = wanted.findIndex((line) => line.trim() !== '');
  const [given, own] = [indentOf(wanted[index] ?? ''), indentOf(there[index] ?? '')];
  const hasReturns = there.length > 0 && there.every((line) => line.endsWith('\r'));
  return now.map((line) => {
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    const moved = bare.trim() === '' || !bare.startsWith(given) ? bare : own + bare.slice(given.length);
    return hasReturns ? `${moved}\r` : moved;
  });
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}
