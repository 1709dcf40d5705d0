/** Hunks applied to a text: found by their lines, near where they are said to be; all of them or none. */
import { EXACTNESS, fittedTo, placesOf, splitLines } from './line-match.js';
import type { LineRange } from './numbered-lines.js';
import type { Hunk } from './patch-parser.js';
import { notThere } from './text-edits.js';

export type Patched = { readonly text: string; readonly ranges: readonly LineRange[] } | { readonly fault: string };

export function patchText(text: string, hunks: readonly Hunk[]): Patched {
  const endsLine = text === '' || text.endsWith('\n');
  let lines = splitLines(text.endsWith('\n') ? text.slice(0, -1) : text);
  if (text === '') lines = [];
  const ranges: LineRange[] = [];
  let next = 0;
  // Lines that earlier hunks have added, which a header of the unified form does not count.
  let grown = 0;
  for (const [index, hunk] of hunks.entries()) {
    const found = placeOf(lines, hunk, next, grown);
    if (typeof found === 'string')
      return { fault: hunks.length === 1 ? found : `hunk ${index + 1} of ${hunks.length}: ${found}` };
    const there = lines.slice(found, found + hunk.old.length);
    const now = keptAsIs(there, hunk);
    lines = [...lines.slice(0, found), ...now, ...lines.slice(found + hunk.old.length)];
    ranges.push({ from: found + 1, to: Math.max(found + now.length, found + 1) });
    next = found + now.length;
    grown += now.length - hunk.old.length;
  }
  return { text: lines.length === 0 ? '' : lines.join('\n') + (endsLine ? '\n' : ''), ranges };
}

/** Lines to be put: those of the context as they stand there, the new ones with the indentation that is there. */
function keptAsIs(there: readonly string[], { old, now }: Hunk): string[] {
  const fitted = fittedTo(there, old, now);
  let at = 0;
  return now.map((line, index) => {
    const same = old.indexOf(line, at);
    if (same < 0) return fitted[index]!;
    at = same + 1;
    return there[same]!;
  });
}

function placeOf(lines: readonly string[], hunk: Hunk, next: number, grown: number): number | string {
  const from = hunk.below === undefined ? next : below(lines, hunk.below, next);
  if (typeof from === 'string') return from;
  if (hunk.old.length === 0) {
    if (hunk.line !== undefined) return Math.min(hunk.line + grown, lines.length);
    return hunk.below === undefined ? lines.length : from;
  }
  for (const exactness of EXACTNESS) {
    const found = placesOf(lines, hunk.old, exactness, from);
    if (found.length === 0) continue;
    if (hunk.line !== undefined) {
      const said = hunk.line - 1 + grown;
      return found.reduce((best, at) => (Math.abs(at - said) < Math.abs(best - said) ? at : best));
    }
    if (found.length > 1 && hunk.below === undefined && exactness !== 'exact')
      return `its lines stand, but for blanks, at ${found.length} places, the first at line ${found[0]! + 1}; name what is above them behind @@`;
    return found[0]!;
  }
  const blank = hunk.old.every((line) => line.trim() === '');
  return blank
    ? 'it has no line by which its place could be found; take in lines around it'
    : notThere(lines, hunk.old);
}

function below(lines: readonly string[], head: string, next: number): number | string {
  const at = [next, 0]
    .map((from) => lines.findIndex((line, index) => index >= from && line.includes(head)))
    .find((index) => index >= 0);
  return at === undefined ? `no line has the text behind @@: ${head}` : at;
}
