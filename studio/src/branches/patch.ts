/** A patch as text, taken apart by file and line for those who show it. */
export interface PatchLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
}

export interface Hunk {
  readonly header: string;
  readonly lines: PatchLine[];
}

const KINDS: Readonly<Record<string, PatchLine['kind']>> = { ' ': 'context', '+': 'added', '-': 'removed' };

/** The hunks of a patch of one file. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of patch.split('\n')) {
    if (line.startsWith('@@')) hunks.push({ header: line, lines: [] });
    const kind = KINDS[line[0] ?? ''];
    if (kind !== undefined) hunks.at(-1)?.lines.push({ kind, text: line.slice(1) });
  }
  return hunks;
}
