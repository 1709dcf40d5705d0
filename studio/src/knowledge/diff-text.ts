/** What a diff says, file by file. */

export interface FileDiff {
  readonly path: string;
  readonly text: string;
  /** Lines of the former file that it takes away or writes next to. */
  readonly lines: readonly number[];
}

/** Reads the text that `git diff` writes. */
export function fileDiffs(diff: string): FileDiff[] {
  const parts = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  return parts.map((text) => ({ path: pathOf(text), text, lines: touchedLines(text) }));
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

function pathOf(text: string): string {
  const named = /^(?:\+\+\+ b|--- a)\/(.*)$/gm;
  // The name after the change, unless the file is gone.
  const [header = ''] = text.split(/^@@/m);
  const names = [...header.matchAll(named)].map(([, name = '']) => name.replace(/\t$/, ''));
  return names.at(-1) ?? /^diff --git a\/.* b\/(.*)$/m.exec(header)?.[1] ?? '';
}

function touchedLines(text: string): number[] {
  const lines = new Set<number>();
  let at: number | undefined;
  for (const line of text.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+/.exec(line);
    if (hunk) at = Number(hunk[1]);
    else if (at !== undefined && line.startsWith('-')) lines.add(at++);
    else if (at !== undefined && line.startsWith('+')) lines.add(at);
    else if (at !== undefined && line.startsWith(' ')) at++;
  }
  return [...lines].sort((a, b) => a - b);
}
