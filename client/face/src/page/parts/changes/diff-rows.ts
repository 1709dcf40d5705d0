/** Rows of a diff, from the hunks that git made: those that will be merged, so that page and merge never disagree. */
import type { ProposalFileChange } from '@weft/studio-client';
import { counterparts } from '../words.js';

export type LineKind = 'context' | 'added' | 'removed';

export interface Line {
  readonly kind: LineKind;
  readonly text: string;
  /** Number in the file before; absent of an added line. */
  readonly before?: number;
  readonly after?: number;
  /** Text of the line that it became, or was. */
  readonly counterpart?: string;
}

export type Row =
  | { readonly kind: 'hunk'; readonly text: string }
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'pair'; readonly left: Line | undefined; readonly right: Line | undefined };

const HEADER = /@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function rowsOf({ hunks }: ProposalFileChange, isSplit: boolean): Row[] {
  return hunks.flatMap(({ header, lines }): Row[] => {
    const numbered = numberLines(header, lines);
    const head: Row = { kind: 'hunk', text: header };
    if (!isSplit) return [head, ...runsOf(numbered).flatMap(inline)];
    return [head, ...runsOf(numbered).flatMap(sideBySide)];
  });
}

/** Lines of all hunks, numbered. */
export function linesOf(hunks: ProposalFileChange['hunks']): Line[] {
  return hunks.flatMap(({ header, lines }) => numberLines(header, lines));
}

export function tallyOf({ hunks }: ProposalFileChange): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const of = (wanted: LineKind): number => lines.filter(({ kind }) => kind === wanted).length;
  return { added: of('added'), removed: of('removed') };
}

function numberLines(header: string, lines: readonly { readonly kind: LineKind; readonly text: string }[]): Line[] {
  const [, first = '1', second = '1'] = HEADER.exec(header) ?? [];
  let [before, after] = [Number(first), Number(second)];
  return lines.map(({ kind, text }) => ({
    kind,
    text,
    ...(kind === 'added' ? {} : { before: before++ }),
    ...(kind === 'removed' ? {} : { after: after++ }),
  }));
}

interface Run {
  readonly context?: Line;
  readonly removed: readonly Line[];
  readonly added: readonly Line[];
}

/** Context lines one by one, and between them what was removed together with what came in its place. */
function runsOf(lines: readonly Line[]): Run[] {
  const runs: Run[] = [];
  let [removed, added]: [Line[], Line[]] = [[], []];
  const end = (): void => {
    if (removed.length + added.length > 0) runs.push({ removed, added });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) end();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else {
      end();
      runs.push({ context: line, removed: [], added: [] });
    }
  }
  end();
  return runs;
}

function inline({ context, removed, added }: Run): Row[] {
  if (context) return [{ kind: 'line', line: context }];
  const [left, right] = joined(removed, added);
  return [...left, ...right].map((line) => ({ kind: 'line', line }));
}

/** Counterparts stand beside each other, and what lies between them one below the other. */
function sideBySide({ context, removed, added }: Run): Row[] {
  if (context) return [{ kind: 'pair', left: context, right: context }];
  const [left, right] = joined(removed, added);
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const isLeftAlone = i < left.length && left[i]?.counterpart === undefined;
    const isRightAlone = j < right.length && right[j]?.counterpart === undefined;
    // Both are alone, or each is the other's.
    const isBoth = isLeftAlone === isRightAlone;
    rows.push({
      kind: 'pair',
      left: isBoth || isLeftAlone ? left[i++] : undefined,
      right: isBoth || isRightAlone ? right[j++] : undefined,
    });
  }
  return rows;
}

/** Lines that know which of the other side they became, or were. */
function joined(removed: readonly Line[], added: readonly Line[]): [readonly Line[], readonly Line[]] {
  if (removed.length === 0 || added.length === 0) return [removed, added];
  const [before, after] = [removed.map(({ text }) => text), added.map(({ text }) => text)];
  const found = counterparts(before, after);
  const back = new Map(found.flatMap((to, from) => (to === undefined ? [] : [[to, from] as const])));
  return [
    removed.map((line, at) => withCounterpart(line, after[found[at] ?? -1])),
    added.map((line, at) => withCounterpart(line, before[back.get(at) ?? -1])),
  ];
}

function withCounterpart(line: Line, counterpart: string | undefined): Line {
  return counterpart === undefined ? line : { ...line, counterpart };
}
