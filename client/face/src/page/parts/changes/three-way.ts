/**
 * Three-way merge of one file for a person: what only one side changed is taken, and where both did there is a place to
 * settle. A place stands in the text between marks, as git writes them, so that buttons and hands work on the same thing.
 */
import { diff3Merge } from 'node-diff3';

/** Where both sides changed the same lines. */
export interface Place {
  /** Line of the text where its marks begin, from 0. */
  readonly at: number;
  /** Lines that it takes in the text, marks included. */
  readonly lines: number;
  readonly landed: readonly string[];
  readonly before: readonly string[];
  readonly coming: readonly string[];
}

const [LANDED, BEFORE, COMING, END] = ['<<<<<<< landed', '||||||| before', '=======', '>>>>>>> would land'];

/** Marks of a conflict, whoever wrote them. A line of equals signs alone is a heading elsewhere. */
const MARKS = /^(?:<{7}|>{7}) /m;

/** Bounds of what is compared while a person waits: its time grows with the square of the lines, and with pairs of equal ones. */
const [MOST_LINES, MOST_PAIRS] = [6_000, 4_000_000];

/** The text with its places marked; undefined where it is too large, or has marks of its own. */
export function mergeMarked(landed: string, before: string, coming: string): string | undefined {
  if ([landed, before, coming].some((text) => MARKS.test(text))) return undefined;
  const [ours, base, theirs] = [landed, before, coming].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ];
  if ([ours, base, theirs].some((lines) => lines.length > MOST_LINES)) return undefined;
  if (pairsOf(base, ours) + pairsOf(base, theirs) > MOST_PAIRS) return undefined;
  return diff3Merge(ours, base, theirs, { excludeFalseConflicts: true })
    .flatMap(({ ok, conflict }) =>
      conflict ? [LANDED, ...conflict.a, BEFORE, ...conflict.o, COMING, ...conflict.b, END] : (ok ?? []),
    )
    .join('\n');
}

function pairsOf(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1);
  return other.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}

/** Places that are still marked. What lacks one of its marks is none: it is left to the hand that changed it. */
export function placesIn(text: string): Place[] {
  const lines = text.split('\n');
  const places: Place[] = [];
  for (let at = lines.indexOf(LANDED); at >= 0; at = lines.indexOf(LANDED, at + 1)) {
    const before = lines.indexOf(BEFORE, at);
    const coming = lines.indexOf(COMING, before);
    const end = lines.indexOf(END, coming);
    if (before < 0 || coming < 0 || end < 0) break;
    places.push({
      at,
      lines: end - at + 1,
      landed: lines.slice(at + 1, before),
      before: lines.slice(before + 1, coming),
      coming: lines.slice(coming + 1, end),
    });
  }
  return places;
}

/** The text with this in the place of one of its places. */
export function settle(text: string, { at, lines }: Place, taken: readonly string[]): string {
  return text
    .split('\n')
    .toSpliced(at, lines, ...taken)
    .join('\n');
}

/** Whether a result has no marks that its sides do not have: what is left of a place that was changed by hand counts. */
export function isSettled(text: string, sides: readonly string[]): boolean {
  return sides.some((side) => MARKS.test(side)) || !MARKS.test(text);
}

/** The text with the line breaks of its sides, where all of theirs are those of Windows: a field that a hand types into has none of these. */
export function withBreaksOf(sides: readonly string[], text: string): string {
  const breaks = new Set(sides.flatMap((side) => side.match(/\r?\n/g) ?? []));
  return breaks.size === 1 && breaks.has('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text;
}
