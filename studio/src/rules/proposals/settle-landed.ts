/** Effects of a final landing. */
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { CANDIDATE, type Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { PROPOSAL_TRANSITIONS } from '../../record/aggregates/merge-proposal/status.js';
import { takeOver } from './bring-up-to-date.js';
import { endConflicts } from '../queue/end-conflicts.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { endLanded, settleReconciled } from './reconcile.js';

export function settleLanded(change: Change, records: Records, landed: Proposal): Proposal {
  const { proposalId, workUnitId, repositoryId, sourceBranch, promotedToDisk, createdAt, headCommit } = landed;
  if (workUnitId !== undefined) takeOver(change, records, workUnitId, proposalId);
  endConflicts(change, records, proposalId, proposalId);
  supersedeRenewals(change, records, landed);
  settleReconciled(change, records, landed);
  if (workUnitId !== undefined) endLanded(change, records, workUnitId);
  if (sourceBranch === CANDIDATE && promotedToDisk)
    for (const one of pendingOn(records, repositoryId))
      if (one.updatedAt <= createdAt) change.run(mergeProposal, one.proposalId, 'promote', { commit: headCommit });
  return landed;
}

/** What its worker proposed in its place, before it was known that it lands after all. */
function supersedeRenewals(change: Change, records: Records, { proposalId, workUnitId }: Proposal): void {
  if (workUnitId === undefined) return;
  for (const { proposalId: later } of records.proposals.where('workUnit', workUnitId)) {
    const { reconciledFrom = [], status, landing } = change.state(mergeProposal, later) ?? {};
    if (!reconciledFrom.includes(proposalId) || landing || status === 'Merged') continue;
    if (status && PROPOSAL_TRANSITIONS[status].includes('Superseded'))
      change.run(mergeProposal, later, 'supersede', { by: proposalId });
  }
}

/** Proposals on the candidate branch that are not with the user yet, in order of landing. */
export function pendingOn({ proposals }: Records, repositoryId: string): Proposal[] {
  const landed = proposals.all().filter((one) => one.status === 'Merged' && one.landedOnCandidateBranch);
  return landed
    .filter((one) => !one.promotedToDisk && one.repositoryId === repositoryId)
    .sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
}
