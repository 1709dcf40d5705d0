/**
 * Trial of a landing: it stays only if its target builds and passes its tests, where the options want that. Until the trial
 * ends nothing follows from the landing, and nothing else lands there. After a crash the trial is repeated.
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

/** Runs the trial, with the target mutex held. Throws when the landing was taken back. */
export async function tryOut(context: BranchContext, target: StoredBranch, proposal: Proposal): Promise<void> {
  const { proposalId } = proposal;
  const unfit = proposal.takingBack ?? (await context.trials.ofLanding(context, proposal));
  if (!unfit) return;
  const { reason, resultId } = unfit;
  try {
    await takeBack(context, target, proposal, { reason, resultId });
  } catch (error) {
    // Not revertible, because others have changed the same: it stays, and whoever landed it is told.
    if (isReason(error, 'reject.merge_conflict'))
      await context.change((change) => pass(change, context.records, proposalId));
    throw error;
  }
  await context.change((change) => sendBack(change, context.records, proposalId, reason));
  throw refusal('reject.merge_taken_back', `${proposalId} was taken back: ${reason}`, { proposalId, resultId });
}

/** Passes the trial: the landing is final. */
export function pass(change: Change, records: Records, proposalId: string): Proposal {
  return settleLanded(change, records, change.run(mergeProposal, proposalId, 'pass', {}));
}

/** Recovery: ends trials that were under way when this host went down. The target mutex is held. */
export async function endTrials(context: BranchContext, target: StoredBranch): Promise<void> {
  const { records } = context;
  const landed = records.proposals.where('landed', target.branchId);
  const open = landed.filter((one) => one.onTrial && one.repositoryId === target.repositoryId);
  if (open.length === 0) return;
  // Other hosts' landings are on their own branches.
  const hostId = await context.change((change) => change.hostId);
  for (const proposal of open.filter((one) => one.onTrial?.hostId === hostId))
    try {
      await tryOut(context, target, proposal);
      await context.change((change) => pass(change, records, proposal.proposalId));
    } catch (error) {
      // The trial has ended all the same.
      if (!isReason(error, 'reject.merge_taken_back') && !isReason(error, 'reject.merge_conflict')) throw error;
    }
}
