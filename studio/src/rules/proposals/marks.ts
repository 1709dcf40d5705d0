/** Marks of a merge: where git could not decide, a file holds both versions between lines that name whose each is. */
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { textOf } from '../../workspace/files/file-in-folder.js';
import type { Conflict, ObjectStore } from '../../workspace/git/objects/object-store.js';
import { namedPaths } from '../branches/outside-scope.js';
import { broughtIn } from './own-worker.js';

export interface Sides {
  /** Commit that both began with. */
  readonly base: string;
  readonly target: { readonly commit: string; readonly name: string };
  readonly own: { readonly commit: string; readonly name: string };
}

export interface Marked {
  readonly tree: string;
  readonly conflicts: readonly Conflict[];
}

/** Both sides in one tree: marked where both are text, else as the target has it. */
export async function markedTree(store: ObjectStore, { base, target, own }: Sides): Promise<Marked> {
  const merged = await store.merge(base, target.commit, own.commit);
  const there = new Map((await store.files(target.commit)).map((entry) => [entry.path, entry]));
  const known = new Set([...there.keys(), ...(await store.files(own.commit)).map(({ path }) => path)]);
  const inTree = new Map((await store.files(merged.tree)).map((entry) => [entry.path, entry]));
  // Files that the merge has set aside because another one has their path.
  const aside = [...inTree.keys()].filter((path) => !known.has(path));
  const edits = await Promise.all(
    merged.conflicts.map(async ({ path }) => {
      const entry = inTree.get(path);
      const text = entry && textOf(await store.read(entry.id));
      const named = text === undefined ? undefined : withNames(text, target.name, own.name);
      return { path, content: named ?? there.get(path) ?? null };
    }),
  );
  const tree = await store.edit(merged.tree, [...aside.map((path) => ({ path, content: null })), ...edits]);
  return { tree, conflicts: merged.conflicts };
}

/** Text whose marks name both sides; undefined where it has none. */
function withNames(text: string, target: string, own: string): string | undefined {
  const named = text
    .replace(/^<<<<<<< (?:[0-9a-f]{40,64}|ours)$/gm, () => beginning(target))
    .replace(/^>>>>>>> (?:[0-9a-f]{40,64}|theirs)$/gm, () => end(own));
  return named === text ? undefined : named;
}

function beginning(name: string): string {
  return `<<<<<<< ${name}`;
}

function end(name: string): string {
  return `>>>>>>> ${name}`;
}

/** Guard: what is proposed has none of the marks that the unit was given. */
export async function requireUnmarked(
  records: Records,
  store: ObjectStore,
  { workUnitId, commit }: { readonly workUnitId: string; readonly commit: string },
): Promise<void> {
  const marked: string[] = [];
  for (const { targetBranch, conflictingPaths } of broughtIn(records, workUnitId))
    for (const path of conflictingPaths) {
      const entry = await store.entry(commit, path);
      const lines = entry && textOf(await store.read(entry.id))?.split(/\r?\n/);
      if (lines?.some((line) => line === beginning(targetBranch) || line === end(workUnitId))) marked.push(path);
    }
  if (marked.length === 0) return;
  const paths = [...new Set(marked)];
  throw refusal(
    'reject.merge_conflict',
    `${namedPaths(paths)} still ${paths.length === 1 ? 'has' : 'have'} the marks of the conflict: bring both sides together there, then propose again`,
    { paths, workUnitId },
  );
}
