/** Fast-forward of the user's own branch. */
import type { BranchContext } from './branch-context.js';
import { type StoredBranch, emptyCommit, folderOf } from './stored-branch.js';
import { type Warrant, requireWarrant } from './user-law.js';

/** Compare and swap, on a warrant: answers whether the branch is at `to` now; false when it was not at `from`. */
export async function advanceMain(
  context: BranchContext,
  { repositoryId, store }: StoredBranch,
  from: string,
  to: string,
  warrant: Warrant,
): Promise<boolean> {
  requireWarrant(context, warrant);
  const { user } = context.disk;
  const folder = await folderOf(context, repositoryId);
  const { name: branch, commit, isToBe } = await user.defaultBranch(folder);
  const start = commit ?? (await emptyCommit(store));
  const isNew = (commit === undefined || isToBe === true) && from === start;
  const seen = isNew ? undefined : from;
  return user.advance(folder, { branch, from: seen, to, source: store.folder });
}
