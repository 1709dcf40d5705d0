/** Conflicts that end, are open again, or are taken up again, because of what becomes of a proposal or of work. */
import { conflict } from '../../record/aggregates/conflict/conflict.js';
import { repositoryConflict } from '../../record/aggregates/repository-conflict/repository-conflict.js';
import type { Change } from '../../record/ledger/change.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';

/** Ends the conflicts of a proposal: it, or its replacement, was decided, or its work is over. */
export function endConflicts(change: Change, records: Records, proposalId: string, by: string): void {
  for (const { conflictId } of records.conflicts.where('proposal', proposalId)) {
    if (change.state(conflict, conflictId)?.status === 'Resolved') continue;
    change.run(conflict, conflictId, 'resolve', { proposalId: by });
    for (const one of records.repositoryConflicts.where('mergeConflict', conflictId))
      change.run(repositoryConflict, one.conflictId, 'resolve', { byOpId: by });
  }
}

/** Opens the conflicts again that a unit, which is cancelled, was to bring together: a person decides. */
export function reopenConflicts(change: Change, records: Records, unit: WorkUnit): void {
  for (const proposalId of unit.reconciliationSourceProposalIds ?? [])
    for (const { conflictId } of records.conflicts.where('proposal', proposalId)) {
      const { status, reconcilingWorkUnitId } = change.state(conflict, conflictId) ?? {};
      if (status === 'Reconciling' && reconcilingWorkUnitId === unit.workUnitId)
        change.run(conflict, conflictId, 'reopen', {});
    }
}

/** Gives open conflicts back to a unit that was to bring them together, and is taken up again: nothing else is begun for them beside it. */
export function retakeConflicts(change: Change, records: Records, unit: WorkUnit): void {
  for (const proposalId of unit.reconciliationSourceProposalIds ?? [])
    for (const { conflictId } of records.conflicts.where('proposal', proposalId))
      if (change.state(conflict, conflictId)?.status === 'Open')
        change.run(conflict, conflictId, 'reconcile', { workUnitId: unit.workUnitId });
}
