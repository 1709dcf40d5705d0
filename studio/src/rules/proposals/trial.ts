/**
 * What has landed stays only if its target builds and passes its tests with it, where the options want that. Until it is known,
 * nothing follows from its having landed, and nothing else lands there. A host that comes after a crash finds it out anew.
 */
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { sendBack } from './review.js';
import type { Change } from '../../record/ledger/change.js';
import { isReason, refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import type { BranchContext } from '../branches/branch-context.js';
import type { StoredBranch } from '../branches/stored-branch.js';
import { settleLanded } from './settle-landed.js';
import { takeBack } from './take-back.js';

/** Inside `onTarget`. Throws when it was taken back. */
export async function tryOut(context: BranchContext, target: StoredBranch, proposal: Proposal): Promise<void> {
  const { proposalId } = proposal;
  const unfit = proposal.takingBack ?? (await context.trials.ofLanding(context, proposal));
  if (!unfit) return;
  const { reason, resultId } = unfit;
  try {
    await takeBack(context, target, proposal, { reason, resultId });
  } catch (error) {
    // Others have changed what it brought: it stays, and whoever landed it is told.
    if (isReason(error, 'reject.merge_conflict'))
      await context.change((change) => pass(change, context.records, proposalId));
    throw error;
  }
  await context.change((change) => sendBack(change, context.records, proposalId, reason));
  throw refusal('reject.merge_taken_back', `${proposalId} was taken back: ${reason}`, { proposalId, resultId });
}

/** It stays. */
export function pass(change: Change, records: Records, proposalId: string): Proposal {
  return settleLanded(change, records, change.run(mergeProposal, proposalId, 'pass', {}));
}

/** Ends what was being found out when this host went down. Inside `onTarget`. */
export async function endTrials(context: BranchContext, target: StoredBranch): Promise<void> {
  const { records } = context;
  const landed = records.proposals.where('landed', target.branchId);
  const open = landed.filter((one) => one.onTrial && one.repositoryId === target.repositoryId);
  if (open.length === 0) return;
  // What others have landed is on branches of theirs.
  const hostId = await context.change((change) => change.hostId);
  for (const proposal of open.filter((one) => one.onTrial?.hostId === hostId))
    try {
      await tryOut(context, target, proposal);
      await context.change((change) => pass(change, records, proposal.proposalId));
    } catch (error) {
      // It has ended all the same.
      if (!isReason(error, 'reject.merge_taken_back') && !isReason(error, 'reject.merge_conflict')) throw error;
    }
}
