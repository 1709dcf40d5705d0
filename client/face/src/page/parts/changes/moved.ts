/**
 * Lines that were moved: removed in one place and added in another as they were, but for their indentation. A block counts when
 * it is long enough not to be alike by chance. Its cost grows with the number of changed lines.
 */
import type { ProposalFileChange } from '@weft/studio-client';
import { type Line, linesOf } from './diff-rows.js';

/** Characters other than spaces that a block must have. */
const LEAST_CHARACTERS = 40;
/** Places of one text that are tried: lines such as a single brace stand everywhere. */
const MOST_PLACES = 20;

/** Where a line was, or has gone. */
export interface Move {
  readonly path: string;
  readonly line: number;
}

/** Moves of a file's lines, by their numbers before and after. */
export interface FileMoves {
  readonly gone: ReadonlyMap<number, Move>;
  readonly come: ReadonlyMap<number, Move>;
}

interface Place {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export function movesOf(changes: readonly ProposalFileChange[]): ReadonlyMap<string, FileMoves> {
  const removed = changes.flatMap(({ path, hunks }) => placesOf(path, hunks, 'removed'));
  const added = changes.flatMap(({ path, hunks }) => placesOf(path, hunks, 'added'));
  const places = new Map<string, number[]>();
  for (const [at, { text }] of removed.entries()) {
    const known = places.get(text);
    if (!known) places.set(text, [at]);
    else if (known.length < MOST_PLACES) known.push(at);
  }
  const moves = new Map<string, { gone: Map<number, Move>; come: Map<number, Move> }>();
  const of = (path: string): { gone: Map<number, Move>; come: Map<number, Move> } => {
    const made = moves.get(path) ?? { gone: new Map<number, Move>(), come: new Map<number, Move>() };
    moves.set(path, made);
    return made;
  };
  const taken = new Set<number>();
  for (let at = 0; at < added.length;) {
    const length = (start: number): number => common(removed, added, start, at, taken);
    const starts = places.get(added[at]?.text ?? '') ?? [];
    const [most, start] = starts.reduce<readonly [number, number]>(
      ([best, from], one) => (length(one) > best ? [length(one), one] : [best, from]),
      [0, -1],
    );
    const block = added.slice(at, at + most);
    const weight = block.reduce((sum, { text }) => sum + text.length, 0);
    if (weight < LEAST_CHARACTERS) {
      at += 1;
      continue;
    }
    for (const [offset, to] of block.entries()) {
      const from = removed[start + offset];
      if (!from) break;
      taken.add(start + offset);
      of(from.path).gone.set(from.line, { path: to.path, line: to.line });
      of(to.path).come.set(to.line, { path: from.path, line: from.line });
    }
    at += most;
  }
  return moves;
}

/** How many lines from both places on are one block: of one file each, one after the other, and alike. */
function common(
  removed: readonly Place[],
  added: readonly Place[],
  start: number,
  at: number,
  taken: ReadonlySet<number>,
): number {
  let length = 0;
  for (;;) {
    const [from, to] = [removed[start + length], added[at + length]];
    if (!from || !to || from.text !== to.text || taken.has(start + length)) return length;
    const follows = (place: Place, first: Place | undefined): boolean =>
      place.path === first?.path && place.line === first.line + length;
    if (!follows(from, removed[start]) || !follows(to, added[at])) return length;
    length += 1;
  }
}

function placesOf(path: string, hunks: ProposalFileChange['hunks'], kind: Line['kind']): Place[] {
  return linesOf(hunks).flatMap((line) => {
    const number = kind === 'removed' ? line.before : line.after;
    const text = line.text.replace(/\s+/g, '');
    return line.kind !== kind || number === undefined ? [] : [{ path, line: number, text }];
  });
}
