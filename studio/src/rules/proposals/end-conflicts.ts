/** Ends the conflicts of a proposal: it, or its replacement, was decided. */
import { conflict } from '../../record/aggregates/conflict/conflict.js';
import { repositoryConflict } from '../../record/aggregates/repository-conflict/repository-conflict.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';

export function endConflicts(change: Change, records: Records, proposalId: string, by: string): void {
  for (const { conflictId, status } of records.conflicts.where('proposal', proposalId)) {
    if (status === 'Resolved') continue;
    change.run(conflict, conflictId, 'resolve', { proposalId: by });
    for (const one of records.repositoryConflicts.where('mergeConflict', conflictId))
      change.run(repositoryConflict, one.conflictId, 'resolve', { byOpId: by });
  }
}
