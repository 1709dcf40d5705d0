/** What a proposal changes as text, and that taken apart by file and line for those who show it. */
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import type { Ground } from './ground.js';

/** Undefined where the commits are on another host. */
export async function patchOf(
  { disk }: Pick<Ground, 'disk'>,
  { repositoryId, baseCommit, headCommit }: Proposal,
): Promise<string | undefined> {
  const store = await disk.stores.of(repositoryId);
  for (const commit of [baseCommit, headCommit]) if (!(await store.has(commit))) return undefined;
  return store.patch(baseCommit, headCommit);
}

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
