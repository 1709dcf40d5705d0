/** Evidence from executions, for the units of a branch and their proposals. */
import type { Execution } from '../../record/aggregates/execution/execution.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { attachEvidence } from '../knowledge/evidence.js';
import type { Change } from '../../record/ledger/change.js';
import { resultOf } from '../../record/views/executions.js';
import type { Records } from '../../record/views/records.js';

/** Attaches an execution, also to proposals of the same commit. */
export function attachRun(change: Change, records: Records, ran: Execution): void {
  for (const unit of records.workUnits.where('branch', ran.branchId))
    attachEvidence(change, unit, resultOf(ran), offerOf(records, ran)?.proposalId);
}

export function offerOf({ proposals }: Records, { branchId, commit }: Execution): Proposal | undefined {
  const offers = proposals.where('source', branchId);
  return offers.findLast(({ headCommit, status }) => headCommit === commit && status !== 'Superseded');
}

/** Attaches earlier executions of the same commit to a new proposal. */
export function offerEvidence(
  change: Change,
  records: Records,
  { proposalId, sourceBranch, headCommit }: Proposal,
): void {
  const ended = records.executions.where('branch', sourceBranch).filter(({ status }) => status === 'ended');
  for (const ran of ended.filter(({ commit }) => commit === headCommit))
    for (const unit of records.workUnits.where('branch', sourceBranch))
      attachEvidence(change, unit, resultOf(ran), proposalId);
}
