/** Review of a proposal, and what follows for the work that made it. */
import type { RESTART_MODES } from '../../record/aggregates/merge-proposal/events.js';
import { type Review, mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { proposalOf } from '../../record/views/by-id.js';
import { takeOver } from './bring-up-to-date.js';
import { endConflicts } from '../queue/end-conflicts.js';
import { attemptCap, toDeadLetter } from '../queue/dead-letters.js';
import { note } from '../goals/note.js';
import { restartProfile } from './policy.js';
import { enqueueAgain } from '../queue/queue.js';

export type RestartMode = (typeof RESTART_MODES)[number];

export function approve(change: Change, proposalId: string, review: Review): Proposal {
  sayReady(change, proposalId);
  return change.run(mergeProposal, proposalId, 'approve', review);
}

/** Rejects the proposal alone: its work is not restarted. */
export function refuseProposal(
  change: Change,
  records: Records,
  proposalId: string,
  review: Review & { readonly restartMode: RestartMode },
): Proposal {
  sayReady(change, proposalId);
  const rejected = change.run(mergeProposal, proposalId, 'reject', review);
  letGo(change, records, rejected);
  return rejected;
}

/** Rejects a proposal and restarts its work with the reason; after too many rejections a person decides. */
export function reject(
  change: Change,
  records: Records,
  proposalId: string,
  review: Review & { readonly restartMode: RestartMode },
): Proposal {
  const rejected = refuseProposal(change, records, proposalId, review);
  const { notes = 'No reason was given.', automated } = review;
  doAnew(change, records, rejected, { what: 'rejected', why: notes, automated });
  return rejected;
}

/** Sets a proposal aside for what somebody says stands in its place: it blocks nobody any more, and its work is not restarted. */
export function setAside(change: Change, records: Records, proposalId: string, why: string | undefined): Proposal {
  const aside = change.run(mergeProposal, proposalId, 'move', { to: 'Superseded', reason: why });
  letGo(change, records, aside);
  return aside;
}

/** Sets a proposal aside and restarts its work with the reason, which would wait for a review of nothing. */
export function supersede(change: Change, records: Records, proposalId: string, review: Review): Proposal {
  const aside = setAside(change, records, proposalId, review.notes);
  const { notes = 'No reason was given.', automated } = review;
  doAnew(change, records, aside, { what: 'superseded', why: notes, automated });
  return aside;
}

/** Restarts work whose landing was taken back, like rejected work. */
export function sendBack(change: Change, records: Records, proposalId: string, why: string): Proposal {
  const sent = change.run(mergeProposal, proposalId, 'move', { to: 'Rejected', reason: why });
  letGo(change, records, sent);
  doAnew(change, records, sent, { what: 'taken back', why, automated: true });
  return sent;
}

/** A rejected proposal no longer blocks anybody, and nobody brings it up to date. */
function letGo(change: Change, records: Records, { proposalId, workUnitId }: Proposal): void {
  if (workUnitId !== undefined) takeOver(change, records, workUnitId, proposalId);
  endConflicts(change, records, proposalId, proposalId);
}

interface Refused {
  readonly what: string;
  readonly why: string;
  readonly automated: boolean;
}

function doAnew(change: Change, records: Records, proposal: Proposal, { what, why, automated }: Refused): void {
  const { proposalId } = proposal;
  const unit = proposal.workUnitId === undefined ? undefined : change.state(workUnit, proposal.workUnitId);
  if (!unit) return;
  const { workUnitId, executionInfo } = unit;
  const counter = automated ? 'automatedReviewRejectionCount' : 'humanReviewRejectionCount';
  const value = executionInfo[counter] + 1;
  change.run(workUnit, workUnitId, 'count', { counter, value });
  note(change, workUnitId, { type: 'RevisionContext', title: `${proposalId} was ${what}`, body: why });
  if (value < attemptCap(records)) restart(change, records, workUnitId, proposal);
  else if (isUnderReview(change, workUnitId))
    toDeadLetter(change, records, { workUnitId, kind: 'ReviewRejected', reason: `rejected ${value} times: ${why}` });
}

export function retry(change: Change, records: Records, proposalId: string, notes: string | undefined): void {
  const proposal = proposalOf(records, proposalId);
  const { status, workUnitId } = proposal;
  if (status !== 'Rejected')
    throw refusal('reject.wrong_state', `${proposalId} is ${status}; only rejected ones are retried`, {
      proposalId,
      status,
    });
  const unit = workUnitId === undefined ? undefined : change.state(workUnit, workUnitId);
  if (!unit) throw refusal('reject.workunit_not_found', `${proposalId} is of no work unit`, { proposalId });
  const { failureAttemptCount } = unit.executionInfo;
  if (failureAttemptCount >= attemptCap(records))
    throw refusal('reject.attempts_exhausted', `${unit.workUnitId} has failed ${failureAttemptCount} times`, {
      workUnitId: unit.workUnitId,
      attempts: failureAttemptCount,
    });
  if (notes !== undefined) change.run(workUnit, unit.workUnitId, 'amend', { correction: notes });
  restart(change, records, unit.workUnitId, proposal);
}

/** Requeues the work, if its status asks for that. */
function restart(change: Change, records: Records, workUnitId: string, proposal: Proposal): void {
  if (!isUnderReview(change, workUnitId)) return;
  enqueueAgain(change, records, workUnitId, { profileId: restartProfile(records, proposal) });
}

function isUnderReview(change: Change, workUnitId: string): boolean {
  const status = change.state(workUnit, workUnitId)?.status;
  return status === 'Proposed' || status === 'Reviewing';
}

/** Marks a draft as ready: reviewing it implies that. */
function sayReady(change: Change, proposalId: string): void {
  if (change.state(mergeProposal, proposalId)?.status === 'Draft')
    change.run(mergeProposal, proposalId, 'move', { to: 'ReadyForReview' });
}
