/**
 * Folder for programs: that of the branch. What they leave there becomes part of the branch, so branches that must not change
 * by themselves, such as the user's, are run in a temporary folder.
 */
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { folderFor } from '../branches/files.js';
import type { BranchContext } from '../branches/branch-context.js';
import { type StoredBranch, MAIN, headOf } from '../branches/stored-branch.js';
import { save } from '../branches/save.js';
import { digestOf } from '../../workspace/files/file-in-folder.js';

export interface FolderToRun {
  readonly folder: string;
  /** Commit of its content. */
  readonly commit: string;
  /** Whether it is temporary. */
  readonly isPassing: boolean;
}

/** Folder to run in. `name` separates temporary folders; `at` is a commit to use instead of the branch's head. */
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
