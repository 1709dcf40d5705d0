/** What a diff says, file by file. */

export interface FileDiff {
  readonly path: string;
  readonly text: string;
  readonly change: 'Added' | 'Modified' | 'Deleted';
  readonly addedLines: number;
  readonly removedLines: number;
  /** Lines of the former file that it takes away or writes next to. */
  readonly lines: readonly number[];
}

/** Reads the text that `git diff` writes. */
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
  return { path: pathOf(header), text, change: changeOf(header), ...linesOf(hunks) };
}

export interface Divergence {
  readonly path: string;
  readonly diffA: string;
  readonly diffB: string;
  readonly overlappingLines: readonly number[];
}

/** The files that two diffs treat differently. */
export function divergences(diffA: string, diffB: string): Divergence[] {
  const byPath = [diffA, diffB].map((diff) => new Map(fileDiffs(diff).map((file) => [file.path, file])));
  const [inA = new Map<string, FileDiff>(), inB = new Map<string, FileDiff>()] = byPath;
  return [...new Set([...inA.keys(), ...inB.keys()])].sort().flatMap((path) => {
    const [a, b] = [inA.get(path), inB.get(path)];
    if (a?.text === b?.text) return [];
    const overlappingLines = a?.lines.filter((line) => b?.lines.includes(line)) ?? [];
    return [{ path, diffA: a?.text ?? '', diffB: b?.text ?? '', overlappingLines }];
  });
}

function pathOf(header: string): string {
  // The name after the change, unless the file is gone.
  const names = [...header.matchAll(/^(?:\+\+\+ b|--- a)\/(.*)$/gm)].map(([, name = '']) => name.replace(/\t$/, ''));
  return names.at(-1) ?? /^diff --git a\/.* b\/(.*)$/m.exec(header)?.[1] ?? '';
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
