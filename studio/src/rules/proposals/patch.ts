/** Patch of a proposal: as text, and by file and hunk. */
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { textOf } from '../../workspace/files/file-in-folder.js';
import type { ObjectStore, Patch, TreeChange, TreeEntry } from '../../workspace/git/objects/object-store.js';
import type { BranchContext } from '../branches/branch-context.js';

/** Patch of a proposal; undefined where its commits are on another host. */
export async function patchOf(
  { disk }: Pick<BranchContext, 'disk'>,
  { repositoryId, baseCommit, headCommit }: Proposal,
): Promise<string | undefined> {
  const store = await disk.stores.of(repositoryId);
  for (const commit of [baseCommit, headCommit]) if (!(await store.has(commit))) return undefined;
  return forPeople(await store.patch(baseCommit, headCommit));
}

/** Patch text; a truncated one says so at its end. */
export function forPeople({ text, isWhole }: Patch): string {
  return isWhole ? text : `${text}(The patch goes on, and is cut here: read the files for the rest.)\n`;
}

export interface PatchLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
}

export interface Hunk {
  readonly header: string;
  readonly lines: PatchLine[];
}

/** Limit of whole files shown, each and together; beyond it only hunks are shown. */
const MOST_SHOWN_BYTES = 512 << 10;
const MOST_SHOWN_IN_ALL = 16 << 20;
const SUBMODULE = '160000';
const IDS = /^index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})( \d{6})?$/;
const KINDS: Readonly<Record<string, PatchLine['kind']>> = { ' ': 'context', '+': 'added', '-': 'removed' };

export interface FileChange extends Pick<TreeChange, 'path' | 'changeKind'> {
  readonly beforeContent?: string;
  readonly afterContent?: string;
  readonly hunks: Hunk[];
}

/** File changes between two commits. Constant number of git processes, however many files there are. */
export async function fileChangesOf(store: ObjectStore, from: string, to: string): Promise<FileChange[]> {
  const changes = await store.changes(from, to);
  const hunks = hunksOf((await store.patch(from, to)).text);
  const files = changes.flatMap(({ before, after }) => [before, after]).filter((file) => file !== undefined);
  const ids = files.filter(({ mode }) => mode !== SUBMODULE).map(({ id }) => id);
  const contents = await store.readMany(ids, MOST_SHOWN_BYTES, MOST_SHOWN_IN_ALL);
  const shown = (file: TreeEntry | undefined): string | undefined => {
    const bytes = contents.get(file?.id ?? '');
    return bytes && textOf(bytes);
  };
  return changes.map(({ path, changeKind, before, after }) => {
    const [beforeContent, afterContent] = [shown(before), shown(after)];
    // A file replaced by a link is deleted and added.
    const parts = [keyOf(before?.id), keyOf(undefined, after?.id)].flatMap((key) => hunks.get(key) ?? []);
    return {
      path,
      changeKind,
      hunks: [...(hunks.get(keyOf(before?.id, after?.id)) ?? parts)],
      ...(beforeContent === undefined ? {} : { beforeContent }),
      ...(afterContent === undefined ? {} : { afterContent }),
    };
  });
}

/** Hunks by the blob ids before and after, because paths may be written in more than one way. */
export function hunksOf(patch: string): ReadonlyMap<string, readonly Hunk[]> {
  const found = new Map<string, Hunk[]>();
  let ofFile: Hunk[] = [];
  for (const line of patch.split('\n')) {
    const [, before, after] = IDS.exec(line) ?? [];
    if (before !== undefined) found.set(keyOf(before, after), (ofFile = []));
    else if (line.startsWith('diff ')) ofFile = [];
    else if (line.startsWith('@@')) ofFile.push({ header: line, lines: [] });
    const kind = KINDS[line[0] ?? ''];
    if (kind !== undefined) ofFile.at(-1)?.lines.push({ kind, text: line.slice(1) });
  }
  return found;
}

/** Key of a pair of blobs; git writes zeros for none. */
function keyOf(before = '', after = ''): string {
  return [before, after].map((id) => id.replace(/^0+$/, '')).join('..');
}
