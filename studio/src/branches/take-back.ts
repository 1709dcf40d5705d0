/** Takes back what a proposal has brought to its target, and nothing that came there since. */
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import { refusal } from '../reasons.js';
import { advanceMain } from './advance.js';
import type { Ground } from './ground.js';
import { type BranchPlace, MAIN } from './place.js';
import { moveHeld, onBranch, saveHeld } from './save.js';

export function takeBack(
  ground: Ground,
  target: BranchPlace,
  { proposalId, baseCommit, headCommit }: Proposal,
): Promise<string> {
  return onBranch(ground, target, async () => {
    const { store, branchId } = target;
    const from = await saveHeld(ground, target);
    // The way from what was offered back to what it began with.
    const merged = await store.merge(headCommit, from, baseCommit);
    if (!merged.clean)
      throw refusal('reject.merge_conflict', `others have changed what ${proposalId} brought to ${branchId}`, {
        conflicts: merged.conflicts,
      });
    const message = `Take back ${proposalId}`;
    const to = await store.commit({ tree: merged.tree, parents: [from], message, at: ground.now() });
    if (branchId !== MAIN) await moveHeld(ground, target, from, to);
    else if (!(await advanceMain(ground, target, from, to)))
      throw refusal('reject.branch_moved', 'the branch of the user was moved meanwhile', { branchId });
    return to;
  });
}
