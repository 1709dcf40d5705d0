/**
 * Where programs run: in the folder of the branch. What they leave behind there becomes part of it, so what must not change by
 * itself, such as the branch of the user, is tried out in a folder of its own.
 */
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { folderFor } from '../branches/files.js';
import type { BranchContext } from '../branches/branch-context.js';
import { type StoredBranch, MAIN, headOf } from '../branches/stored-branch.js';
import { save } from '../branches/save.js';
import { digestOf } from '../../workspace/files/file-in-folder.js';

export interface FolderToRun {
  readonly folder: string;
  /** What lies in it. */
  readonly commit: string;
  /** Nobody needs it when it was run. */
  readonly isPassing: boolean;
}

/** `name` tells apart what is not to run in the same folder; `at` is a commit in place of what the branch holds. */
export async function folderToRun(
  context: BranchContext,
  branch: StoredBranch,
  name: string,
  at?: string,
): Promise<FolderToRun> {
  const { store, branchId, repositoryId } = branch;
  if (at === undefined && branchId !== MAIN && branchId !== CANDIDATE) {
    const { folder } = await folderFor(context, branch);
    return { folder, commit: await save(context, branch), isPassing: false };
  }
  const commit = at ?? (await headOf(context, branch));
  const digest = digestOf(JSON.stringify([repositoryId, branchId])).slice(0, 16);
  const folder = await context.disk.spaces.export(store, commit, `${name}-${digest}`);
  return { folder, commit, isPassing: true };
}
