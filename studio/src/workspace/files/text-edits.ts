/**
 * Edits of a text by what is there: exactly, else but for blanks where that can be one place alone. An edit that fits nowhere, or at
 * several places, is not made; the refusal shows what is there instead.
 */
import { EXACTNESS, fittedTo, nearestTo, placesOf, splitLines } from './line-match.js';
import { numbered } from './numbered-lines.js';

export interface TextEdit {
  readonly old: string;
  readonly new: string;
  /** Whether all places are meant, not one. */
  readonly all?: boolean | undefined;
}

export interface EditedText {
  readonly text: string;
  /** Changed places, as offsets into the text. */
  readonly places: readonly Place[];
  /** What was overlooked so that an edit fits. */
  readonly overlooked: readonly string[];
}

export interface Place {
  readonly start: number;
  readonly end: number;
}

export type EditOutcome = EditedText | { readonly fault: string };

/** Makes edits one after the other, all of them or none. */
export function editText(text: string, edits: readonly TextEdit[]): EditOutcome {
  let now = text;
  let places: readonly Place[] = [];
  const overlooked = new Set<string>();
  for (const [index, edit] of edits.entries()) {
    const found = placesFor(now, edit);
    if ('fault' in found)
      return { fault: edits.length === 1 ? found.fault : `edit ${index + 1} of ${edits.length}: ${found.fault}` };
    if (found.overlooked !== undefined) overlooked.add(found.overlooked);
    for (const [at, { start, end, put }] of found.replaced.entries()) {
      const moved = found.replaced.slice(0, at).reduce((sum, one) => sum + one.put.length - (one.end - one.start), 0);
      now = now.slice(0, start + moved) + put + now.slice(end + moved);
      places = [
        ...shifted(places, start + moved, put.length - (end - start)),
        { start: start + moved, end: start + moved + put.length },
      ];
    }
  }
  return { text: now, places: places.toSorted((a, b) => a.start - b.start), overlooked: [...overlooked] };
}

interface Replaced extends Place {
  readonly put: string;
}

type FoundPlaces =
  { readonly replaced: readonly Replaced[]; readonly overlooked?: string } | { readonly fault: string };

function placesFor(text: string, edit: TextEdit): FoundPlaces {
  const { old, all = false } = edit;
  if (old === '') return { fault: 'the text to be replaced is empty; to make a file, write it' };
  if (old === edit.new) return { fault: 'the old and the new text are the same' };
  const exact = offsetsOf(text, old);
  if (exact.length === 1 || (all && exact.length > 1))
    return { replaced: exact.map((start) => ({ start, end: start + old.length, put: edit.new })) };
  if (exact.length > 1) return { fault: severalAt(exact.map((start) => lineAt(text, start))) };
  return tolerantPlaces(text, withoutNumbers(edit), all);
}

/** Places of whole lines that are the same but for blanks. */
function tolerantPlaces(text: string, edit: TextEdit, all: boolean): FoundPlaces {
  const lines = splitLines(text);
  const endsLine = edit.old.endsWith('\n');
  const wanted = splitLines(endsLine ? edit.old.slice(0, -1) : edit.old);
  const now = edit.new === '' ? [] : splitLines(endsLine && edit.new.endsWith('\n') ? edit.new.slice(0, -1) : edit.new);
  for (const exactness of EXACTNESS) {
    const found = placesOf(lines, wanted, exactness);
    if (found.length > 1 && !all) return { fault: severalAt(found.map((at) => at + 1)) };
    if (found.length === 0) continue;
    const overlooked = exactness === 'exact' ? {} : { overlooked: exactness };
    return { replaced: apart(found, wanted.length).map((at) => wholeLines(lines, at, wanted, now)), ...overlooked };
  }
  return { fault: notThere(lines, wanted) };
}

function wholeLines(lines: readonly string[], at: number, wanted: readonly string[], now: readonly string[]): Replaced {
  const start = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0);
  const there = lines.slice(at, at + wanted.length);
  const length = there.join('\n').length;
  const put = fittedTo(there, wanted, now).join('\n');
  // Lines that are taken away take their break with them.
  const isLast = at + wanted.length >= lines.length;
  return { start, end: start + length + (now.length === 0 && !isLast ? 1 : 0), put };
}

/** Places that do not overlap, from the first on. */
function apart(found: readonly number[], length: number): number[] {
  return found.reduce<number[]>((kept, at) => (at < (kept.at(-1) ?? -length) + length ? kept : [...kept, at]), []);
}

/** Numbers of lines, copied from where the file was shown, are not part of it. */
const NUMBERED = /^ *\d+\t/;

function withoutNumbers(edit: TextEdit): TextEdit {
  const strip = (text: string): string | undefined => {
    const lines = splitLines(text.endsWith('\n') ? text.slice(0, -1) : text);
    if (!lines.every((line) => NUMBERED.test(line))) return undefined;
    return lines.map((line) => line.replace(NUMBERED, '')).join('\n') + (text.endsWith('\n') ? '\n' : '');
  };
  const old = strip(edit.old);
  return old === undefined ? edit : { ...edit, old, new: strip(edit.new) ?? edit.new };
}

const MOST_NAMED = 10;

function severalAt(lines: readonly number[]): string {
  const named = lines.slice(0, MOST_NAMED).join(', ') + (lines.length > MOST_NAMED ? ', …' : '');
  return `the old text stands at ${lines.length} places, at lines ${named}; take in more lines around the one that you mean, or say all`;
}

const MOST_SHOWN = 20;

/** Refusal that shows the nearest lines, and where they begin to differ. */
export function notThere(lines: readonly string[], wanted: readonly string[]): string {
  const nearest = nearestTo(lines, wanted);
  if (!nearest) return 'the old text is not in the file, and nothing like it; view the file';
  const { at, differs } = nearest;
  const from = Math.max(at, at + differs - MOST_SHOWN + 4);
  const shown = lines.slice(from, Math.min(at + wanted.length, from + MOST_SHOWN));
  return [
    'the old text is not in the file. The nearest lines are:',
    numbered(shown, from + 1),
    `Line ${at + differs + 1} is the first that differs. You gave there: ${wanted[differs] ?? ''}`,
  ].join('\n');
}

function offsetsOf(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** Line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function shifted(places: readonly Place[], from: number, by: number): Place[] {
  return places.map(({ start, end }) => (start >= from ? { start: start + by, end: end + by } : { start, end }));
}
