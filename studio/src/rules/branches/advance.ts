/** Moves the user's own branch forward. */
import type { Ground } from './branch-context.js';
import { type BranchPlace, emptyCommit, folderOf } from './stored-branch.js';

/** Answers whether it is at `to` now; false when it was elsewhere than `from`. */
export async function advanceMain(
  ground: Ground,
  { repositoryId, store }: BranchPlace,
  from: string,
  to: string,
): Promise<boolean> {
  const { user } = ground.disk;
  const folder = await folderOf(ground, repositoryId);
  const { name: branch, commit } = await user.defaultBranch(folder);
  const isEmpty = commit === undefined && from === (await emptyCommit(store));
  const seen = isEmpty ? undefined : from;
  return user.advance(folder, { branch, from: seen, to, source: store.folder });
}
