/** Lines as agents are shown them: with their numbers, and long ones cut with a word. */

/** Length limit of a line: a generated one can be as long as its file. */
const MOST_LINE = 2000;

export function numbered(lines: readonly string[], from: number): string {
  const width = String(from + Math.max(lines.length - 1, 0)).length;
  return lines.map((line, index) => `${String(from + index).padStart(width)}\t${shortened(line)}`).join('\n');
}

export function shortened(line: string, most = MOST_LINE): string {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
  return bare.length <= most ? bare : `${bare.slice(0, most)} [${bare.length - most} more characters in this line]`;
}

export interface LineRange {
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
}

/** Ranges with some lines around, those that touch as one. */
export function around(ranges: readonly LineRange[], context: number, last: number): LineRange[] {
  const merged: { from: number; to: number }[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const [from, to] = [Math.max(range.from - context, 1), Math.min(range.to + context, last)];
    const before = merged.at(-1);
    if (before && from <= before.to + 1) before.to = Math.max(before.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
