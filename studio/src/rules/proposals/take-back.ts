/**
 * Take-back: reverts a landed proposal on its target, and nothing that came since. Write-ahead like a landing, so it ends in
 * one result.
 */
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import type { Proposal, Unfit } from '../../record/aggregates/merge-proposal/state.js';
import { refusal } from '../../reasons.js';
import type { BranchContext } from '../branches/branch-context.js';
import type { StoredBranch } from '../branches/stored-branch.js';
import { onBranch, saveHeld } from '../branches/save.js';
import { hasLanded, moveTarget } from './target.js';

export function takeBack(
  context: BranchContext,
  target: StoredBranch,
  { proposalId, baseCommit, headCommit, takingBack }: Proposal,
  unfit: Unfit,
): Promise<void> {
  return onBranch(context, target, async () => {
    if (takingBack && (await hasLanded(context, target, takingBack))) return;
    const { store, branchId: targetBranch } = target;
    const from = await saveHeld(context, target);
    // Inverse merge: from the proposal's head back to its base.
    const merged = await store.merge(headCommit, from, baseCommit);
    if (!merged.clean)
      throw refusal('reject.merge_conflict', `others have changed what ${proposalId} brought to ${targetBranch}`, {
        conflicts: merged.conflicts,
      });
    const message = `Take back ${proposalId}`;
    const to = await store.commit({ tree: merged.tree, parents: [from], message, at: context.now() });
    const back = { targetBranch, from, to };
    await context.change((change) => change.run(mergeProposal, proposalId, 'takeBack', { ...back, ...unfit }));
    if (!(await moveTarget(context, target, back, { by: 'take-back', proposalId })))
      throw refusal('reject.branch_moved', `${targetBranch} was moved meanwhile`, { branchId: targetBranch });
  });
}
