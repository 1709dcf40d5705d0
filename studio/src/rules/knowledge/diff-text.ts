/** Diff parser: what a diff says, file by file. */

export interface FileDiff {
  readonly path: string;
  readonly text: string;
  readonly change: 'Added' | 'Modified' | 'Deleted';
  readonly addedLines: number;
  readonly removedLines: number;
  /** Lines of the old file that are removed or have additions beside them. */
  readonly lines: readonly number[];
}

const ESCAPED = /\\([0-7]{3}|.)/g;
const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** Parses the output of `git diff --no-renames`. */
export function fileDiffs(diff: string): FileDiff[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(fileDiff);
}

function fileDiff(text: string): FileDiff {
  const start = text.search(/^@@/m);
  const header = start < 0 ? text : text.slice(0, start);
  const hunks = start < 0 ? '' : text.slice(start);
  return { path: pathOf(text.slice(0, text.indexOf('\n'))), text, change: changeOf(header), ...linesOf(hunks) };
}

export interface Divergence {
  readonly path: string;
  readonly diffA: string;
  readonly diffB: string;
  readonly overlappingLines: readonly number[];
}

/** Files that two diffs change differently. */
export function divergences(diffA: string, diffB: string): Divergence[] {
  const byPath = [diffA, diffB].map((diff) => new Map(fileDiffs(diff).map((file) => [file.path, file])));
  const [inA = new Map<string, FileDiff>(), inB = new Map<string, FileDiff>()] = byPath;
  return [...new Set([...inA.keys(), ...inB.keys()])].sort().flatMap((path) => {
    const [a, b] = [inA.get(path), inB.get(path)];
    if (a?.text === b?.text) return [];
    const linesOfB = new Set(b?.lines);
    const overlappingLines = a?.lines.filter((line) => linesOfB.has(line)) ?? [];
    return [{ path, diffA: a?.text ?? '', diffB: b?.text ?? '', overlappingLines }];
  });
}

/** Path in `diff --git a/<path> b/<path>`: both are equally long, and quoted when they contain unusual characters. */
function pathOf(firstLine: string): string {
  const names = firstLine.slice('diff --git '.length);
  const last = names.slice((names.length + 1) / 2);
  return (last.startsWith('"') ? last.slice(1, -1).replace(ESCAPED, plain) : last).slice('b/'.length);
}

function plain(escaped: string, sign: string): string {
  return ESCAPES[sign] ?? (sign.length === 1 ? sign : String.fromCharCode(Number.parseInt(sign, 8)));
}

function changeOf(header: string): FileDiff['change'] {
  if (/^new file mode /m.test(header)) return 'Added';
  return /^deleted file mode /m.test(header) ? 'Deleted' : 'Modified';
}

function linesOf(hunks: string): Pick<FileDiff, 'addedLines' | 'removedLines' | 'lines'> {
  const lines = new Set<number>();
  let [at, addedLines, removedLines] = [0, 0, 0];
  for (const line of hunks.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+/.exec(line);
    if (hunk) at = Number(hunk[1]);
    else if (line.startsWith('-')) {
      lines.add(at++);
      removedLines++;
    } else if (line.startsWith('+')) {
      lines.add(at);
      addedLines++;
    } else if (line.startsWith(' ')) at++;
  }
  return { addedLines, removedLines, lines: [...lines].sort((a, b) => a - b) };
}
