/** Rows of a diff, from the hunks that git made: those that will be merged, so that page and merge never disagree. */
import type { ProposalFileChange } from '@weft/studio-client';

export type LineKind = 'context' | 'added' | 'removed';

export interface Line {
  readonly kind: LineKind;
  readonly text: string;
  /** Number in the file before; absent of an added line. */
  readonly before?: number;
  readonly after?: number;
  /** Part of the line that its counterpart does not have: from and to. */
  readonly changed?: readonly [from: number, to: number];
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
  const [left, right] = marked(removed, added);
  return [...left, ...right].map((line) => ({ kind: 'line', line }));
}

function sideBySide({ context, removed, added }: Run): Row[] {
  if (context) return [{ kind: 'pair', left: context, right: context }];
  const [left, right] = marked(removed, added);
  return Array.from({ length: Math.max(left.length, right.length) }, (_none, at) => ({
    kind: 'pair',
    left: left[at],
    right: right[at],
  }));
}

/** Marks what differs within each line, where as many came as went. */
function marked(removed: readonly Line[], added: readonly Line[]): [readonly Line[], readonly Line[]] {
  if (removed.length !== added.length) return [removed, added];
  const marks = removed.map(({ text }, at) => differing(text, added[at]?.text ?? ''));
  return [
    removed.map((line, at) => withMark(line, marks[at]?.[0])),
    added.map((line, at) => withMark(line, marks[at]?.[1])),
  ];
}

function withMark(line: Line, changed: readonly [number, number] | undefined): Line {
  return changed === undefined ? line : { ...line, changed };
}

/** What lies between the common beginning and the common end of two lines; nothing where they have little in common. */
function differing(a: string, b: string): [readonly [number, number], readonly [number, number]] | undefined {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const common = a.slice(0, start).trim().length + (end === 0 ? 0 : a.slice(-end).trim().length);
  if (common * 3 < Math.max(a.length, b.length)) return undefined;
  return [
    [start, a.length - end],
    [start, b.length - end],
  ];
}
