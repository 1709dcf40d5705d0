/** Branches that proposals land on: the user's own, the candidate branch, and those where parts of work come together. */
import type { Landing } from '../../record/aggregates/merge-proposal/state.js';
import { advanceMain } from '../branches/advance.js';
import type { Ground } from '../branches/branch-context.js';
import { type BranchPlace, MAIN, headOf } from '../branches/stored-branch.js';
import { moveHeld } from '../branches/save.js';

/** One landing at a time, with what is found out about it afterwards. */
export function onTarget<T>(
  { lane }: Ground,
  { repositoryId, branchId }: BranchPlace,
  work: () => Promise<T>,
): Promise<T> {
  return lane.inOrder(`landing ${repositoryId} ${branchId}`, work);
}

/** Answers whether it is there now. Inside `onBranch`. */
export async function moveTarget(ground: Ground, target: BranchPlace, { from, to }: Landing): Promise<boolean> {
  if (target.branchId === MAIN) return advanceMain(ground, target, from, to);
  if ((await headOf(ground, target)) !== from) return false;
  await moveHeld(ground, target, from, to);
  return true;
}

export async function hasLanded(ground: Ground, target: BranchPlace, { to }: Landing): Promise<boolean> {
  const now = await headOf(ground, target);
  return (await target.store.has(to)) && target.store.isAncestor(to, now);
}
