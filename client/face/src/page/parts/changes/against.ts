/** Lines of a text beside what it began as: which are its own, and which line of the base each of these was. */
import { diffArrays } from 'diff';
import { counterparts } from '../words.js';

export interface OwnedLine {
  readonly text: string;
  /** Whether the base does not have it. */
  readonly isOwn: boolean;
  /** Line of the base that it was. */
  readonly was?: string;
}

/** Lines of the base that are gone, and the lines that came, beyond which every line counts as shared or not by its text alone. */
const MOST_EDITS = 4_000;

export function linesAgainst(base: string, text: string): readonly OwnedLine[] {
  const [before, after] = [base.split('\n'), text.split('\n')];
  const parts = diffArrays(before, after, { maxEditLength: MOST_EDITS });
  if (!parts) {
    const known = new Set(before);
    return after.map((line) => ({ text: line, isOwn: !known.has(line) }));
  }
  const lines: OwnedLine[] = [];
  let gone: readonly string[] = [];
  for (const { value, added, removed } of parts) {
    if (removed) gone = value;
    else if (added) {
      lines.push(...ownLines(gone, value));
      gone = [];
    } else {
      gone = [];
      for (const line of value) lines.push({ text: line, isOwn: false });
    }
  }
  return lines;
}

function ownLines(gone: readonly string[], came: readonly string[]): OwnedLine[] {
  const was = new Map<number, string>();
  for (const [from, to] of counterparts(gone, came).entries()) if (to !== undefined) was.set(to, gone[from] ?? '');
  return came.map((text, at) => {
    const line = was.get(at);
    return line === undefined ? { text, isOwn: true } : { text, isOwn: true, was: line };
  });
}
