/** What an execution shows of those who work on its branch, and of what is offered from it. */
import type { Execution } from '../../record/aggregates/execution/execution.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { attachEvidence } from '../knowledge/evidence.js';
import type { Change } from '../../record/ledger/change.js';
import { resultOf } from '../../record/views/executions.js';
import type { Records } from '../../record/views/records.js';

/** An offer of the very commit that ran is shown by it too. */
export function attachRun(change: Change, records: Records, ran: Execution): void {
  for (const unit of records.workUnits.where('branch', ran.branchId))
    attachEvidence(change, unit, resultOf(ran), offerOf(records, ran)?.proposalId);
}

export function offerOf({ proposals }: Records, { branchId, commit }: Execution): Proposal | undefined {
  const offers = proposals.where('source', branchId);
  return offers.findLast(({ headCommit, status }) => headCommit === commit && status !== 'Superseded');
}

/** For what is offered after it ran: all that this very commit has shown. */
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
