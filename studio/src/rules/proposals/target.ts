/** Branches that proposals land on: the user's own, the candidate branch, and those where parts of work come together. */
import type { Landing } from '../../record/aggregates/merge-proposal/state.js';
import { advanceMain } from '../branches/advance.js';
import type { BranchContext } from '../branches/branch-context.js';
import { type StoredBranch, MAIN, headOf } from '../branches/stored-branch.js';
import { moveHeld } from '../branches/save.js';

/** One landing at a time, with what is found out about it afterwards. */
export function onTarget<T>(
  { lane }: Pick<BranchContext, 'lane'>,
  { repositoryId, branchId }: StoredBranch,
  work: () => Promise<T>,
): Promise<T> {
  return lane.inOrder(`landing ${repositoryId} ${branchId}`, work);
}

/** Answers whether it is there now. Inside `onBranch`. */
export async function moveTarget(
  context: BranchContext,
  target: StoredBranch,
  { from, to }: Landing,
): Promise<boolean> {
  if (target.branchId === MAIN) return advanceMain(context, target, from, to);
  if ((await headOf(context, target)) !== from) return false;
  await moveHeld(context, target, from, to);
  return true;
}

export async function hasLanded(context: BranchContext, target: StoredBranch, { to }: Landing): Promise<boolean> {
  const now = await headOf(context, target);
  return (await target.store.has(to)) && target.store.isAncestor(to, now);
}
