/**
 * Replanning: a failed unit is not resumed but replaced by a sibling with the same goal and the failure, which a planner
 * divides. A root's replacement is the root of the same goal.
 */
import { conflict } from '../../record/aggregates/conflict/conflict.js';
import { deadLetter } from '../../record/aggregates/dead-letter/dead-letter.js';
import { goal } from '../../record/aggregates/goal/goal.js';
import { type ModelChoice, modelOf } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnitGiven } from '../../record/aggregates/work-unit/events.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { cancelTree } from './cancel.js';
import { type NewUnit, createUnit } from '../goals/create-unit.js';
import { entryOf } from './dead-letters.js';
import { modelFor } from './model-for.js';
import { enqueue } from './queue.js';
import { followRoot } from './set-status.js';
import { unitOf } from '../../record/views/by-id.js';
import { goalAt } from '../goals/tree.js';

const PLANNER = 'planner';

/** Replans a failed unit. Answers its replacement. */
export function replan(change: Change, records: Records, entryId: string): WorkUnit {
  const entry = entryOf(change, entryId);
  const { workUnitId, reason } = entry;
  const replacement = replace(change, records, workUnitId, reason);
  const newWorkUnitIds = [replacement.workUnitId];
  change.run(deadLetter, entryId, 'resolve', { resolution: 'Replanned', newWorkUnitIds });
  cancelTree(change, records, workUnitId, 'planned anew');
  return plan(change, records, replacement, modelOf(entry));
}

/** Replans a cancelled unit that others depend on. */
export function replanCancelled(change: Change, records: Records, { workUnitId }: WorkUnit): WorkUnit {
  const replacement = replace(change, records, workUnitId, 'It was cancelled.');
  return plan(change, records, replacement, modelFor(change, records, replacement.workUnitId, PLANNER));
}

function replace(change: Change, records: Records, workUnitId: string, reason: string): WorkUnit {
  const replacement = createUnit(change, records, likeness(unitOf(records, workUnitId)));
  change.run(workUnit, replacement.workUnitId, 'note', { key: 'failure', text: reason });
  const found = goalAt(change, workUnitId);
  const { workUnitId: newWorkUnitId, branchId } = replacement;
  if (found) change.run(goal, found.goalId, 'replaceRoot', { workUnitId: newWorkUnitId, branchId });
  for (const proposalId of replacement.reconciliationSourceProposalIds ?? [])
    for (const { conflictId, status, reconcilingWorkUnitId: by } of records.conflicts.where('proposal', proposalId))
      if (status !== 'Resolved' && by === workUnitId)
        change.run(conflict, conflictId, 'reconcile', { workUnitId: newWorkUnitId });
  for (const { workUnitId: waiting } of records.workUnits.where('needs', workUnitId)) {
    const { status, dependsOn } = change.state(workUnit, waiting)!;
    const instead = dependsOn.map((id) => (id === workUnitId ? newWorkUnitId : id));
    if (!isOver(status)) change.run(workUnit, waiting, 'depend', { dependsOn: instead });
  }
  return replacement;
}

function plan(change: Change, records: Records, replacement: WorkUnit, model: ModelChoice): WorkUnit {
  followRoot(change, replacement);
  enqueue(change, records, replacement.workUnitId, { profileId: PLANNER, ...model });
  return change.state(workUnit, replacement.workUnitId)!;
}

function likeness(failed: WorkUnit): NewUnit {
  const { branchId: _branch, ...given } = workUnitGiven.parse(failed);
  const { sliceId, seedFromBranchId } = failed.fanOutInfo;
  return { ...given, replacesWorkUnitId: failed.workUnitId, sliceId, seedFromBranchId };
}
