/** What a review decides about a proposal, and about the work that made it. */
import { type Review, mergeProposal } from '../aggregates/merge-proposal/merge-proposal.js';
import type { RESTART_MODES } from '../aggregates/merge-proposal/events.js';
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import type { Change } from '../ledger/change.js';
import { refusal } from '../reasons.js';
import { enqueue } from '../flows/queue.js';
import type { Records } from '../views/records.js';
import type { Ground } from './ground.js';
import { proposalOf } from './conflicts.js';
import { placeOf } from './place.js';
import { restoreBranch } from './save.js';

export type RestartMode = (typeof RESTART_MODES)[number];

/** So many failures send work to people. */
const MOST_ATTEMPTS = 3;

export function approve(change: Change, proposalId: string, review: Review): Proposal {
  ready(change, proposalId);
  return change.run(mergeProposal, proposalId, 'approve', review);
}

export function reject(
  change: Change,
  records: Records,
  proposalId: string,
  review: Review & { readonly restartMode: RestartMode },
): Proposal {
  ready(change, proposalId);
  const rejected = change.run(mergeProposal, proposalId, 'reject', review);
  const unit = rejected.workUnitId === undefined ? undefined : change.state(workUnit, rejected.workUnitId);
  if (!unit) return rejected;
  const counter = review.automated ? 'automatedReviewRejectionCount' : 'humanReviewRejectionCount';
  const value = unit.executionInfo[counter] + 1;
  change.run(workUnit, unit.workUnitId, 'count', { counter, value });
  restartUnit(change, records, unit.workUnitId);
  return rejected;
}

/** Puts the work back into the queue, if that follows from where it is. */
function restartUnit(change: Change, records: Records, workUnitId: string): void {
  const unit = change.state(workUnit, workUnitId);
  if (unit?.status === 'Proposed' || unit?.status === 'Reviewing')
    enqueue(change, records, workUnitId, { profileId: 'worker' });
}

/** Takes the branch back to what the proposal began with. What was proposed stays in its history. */
export async function revert(ground: Ground, proposalId: string): Promise<void> {
  const { sourceBranch, repositoryId, baseCommit } = proposalOf(ground.records, proposalId);
  const place = await placeOf(ground, sourceBranch, repositoryId);
  await restoreBranch(ground, place, baseCommit, `Go back to before ${proposalId}`);
}

export function retry(change: Change, records: Records, proposalId: string, notes: string | undefined): void {
  const proposal = change.state(mergeProposal, proposalId);
  if (!proposal)
    throw refusal('reject.proposal_not_found', `no merge proposal is called ${proposalId}`, { proposalId });
  const { status, workUnitId } = proposal;
  if (status !== 'Rejected')
    throw refusal('reject.wrong_state', `${proposalId} is ${status}; only rejected ones are retried`, {
      proposalId,
      status,
    });
  const unit = workUnitId === undefined ? undefined : change.state(workUnit, workUnitId);
  if (!unit) throw refusal('reject.workunit_not_found', `${proposalId} is of no work unit`, { proposalId });
  const { failureAttemptCount } = unit.executionInfo;
  if (failureAttemptCount >= MOST_ATTEMPTS)
    throw refusal('reject.attempts_exhausted', `${unit.workUnitId} has failed ${failureAttemptCount} times`, {
      ...{ workUnitId: unit.workUnitId, attempts: failureAttemptCount },
    });
  if (notes !== undefined) change.run(workUnit, unit.workUnitId, 'amend', { correction: notes });
  restartUnit(change, records, unit.workUnitId);
}

/** A review of what was never said to be ready says that it is. */
function ready(change: Change, proposalId: string): void {
  if (change.state(mergeProposal, proposalId)?.status === 'Draft')
    change.run(mergeProposal, proposalId, 'move', { to: 'ReadyForReview' });
}
