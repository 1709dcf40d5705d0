/** Marks that a unit was given, which are not to be proposed. */
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { textOf } from '../../workspace/files/file-in-folder.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { broughtInto } from '../branches/brought-in.js';
import { beginning, end } from '../branches/marked-tree.js';
import { namedPaths } from '../branches/outside-scope.js';

/** Guard: what is proposed has none of the marks that the unit was given. */
export async function requireUnmarked(
  records: Records,
  store: ObjectStore,
  { workUnitId, commit }: { readonly workUnitId: string; readonly commit: string },
): Promise<void> {
  const marked: string[] = [];
  for (const { of } of await broughtInto(records, store, { workUnitId, head: commit }))
    for (const path of of.conflictingPaths) {
      const entry = await store.entry(commit, path);
      const lines = entry && textOf(await store.read(entry.id))?.split(/\r?\n/);
      if (lines?.some((line) => line === beginning(of.targetBranch) || line === end(workUnitId))) marked.push(path);
    }
  if (marked.length === 0) return;
  const paths = [...new Set(marked)];
  throw refusal(
    'reject.merge_conflict',
    `${namedPaths(paths)} still ${paths.length === 1 ? 'has' : 'have'} the marks of the conflict: bring both sides together there, then propose again`,
    { paths, workUnitId },
  );
}
