/** Target branches of proposals: the user's own, the candidate branch, and merge branches. */
import type { Landing } from '../../record/aggregates/merge-proposal/state.js';
import { advanceMain } from '../branches/advance.js';
import type { BranchContext } from '../branches/branch-context.js';
import { type StoredBranch, MAIN, headOf } from '../branches/stored-branch.js';
import { moveHeld } from '../branches/save.js';
import type { Warrant } from '../branches/user-law.js';

/** Mutex of a target: one landing at a time, its trial included. */
export function onTarget<T>(
  { lane }: Pick<BranchContext, 'lane'>,
  { repositoryId, branchId }: StoredBranch,
  work: () => Promise<T>,
): Promise<T> {
  return lane.inOrder(`landing ${repositoryId} ${branchId}`, work);
}

/** Moves a target by compare and swap; answers whether it is at the commit now. The branch mutex is held. */
export async function moveTarget(
  context: BranchContext,
  target: StoredBranch,
  { from, to }: Landing,
  warrant: Warrant,
): Promise<boolean> {
  if (target.branchId === MAIN) return advanceMain(context, target, from, to, warrant);
  if ((await headOf(context, target)) !== from) return false;
  await moveHeld(context, target, from, to);
  return true;
}

export async function hasLanded(context: BranchContext, target: StoredBranch, { to }: Landing): Promise<boolean> {
  const now = await headOf(context, target);
  return (await target.store.has(to)) && target.store.isAncestor(to, now);
}
