/**
 * A failed unit is never resumed by planning: another takes its place beside it, with the same goal and what went wrong, and
 * a planner divides that one. A root's replacement is the root of the same goal.
 */
import { deadLetter } from '../aggregates/dead-letter/dead-letter.js';
import { goal } from '../aggregates/goal/goal.js';
import { modelOf } from '../aggregates/scheduled-item/scheduled-item.js';
import { workUnitGiven } from '../aggregates/work-unit/events.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';
import { isOver } from '../aggregates/work-unit/status.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import type { Change } from '../ledger/change.js';
import type { Records } from '../views/records.js';
import { cancelTree } from './cancel.js';
import { type NewUnit, createUnit } from './create-unit.js';
import { entryOf } from './dead-letters.js';
import { enqueue } from './queue.js';
import { followRoot } from './standing.js';
import { goalAt, unitOf } from './tree.js';

/** Answers the unit that takes the failed one's place. */
export function replan(change: Change, records: Records, entryId: string): WorkUnit {
  const entry = entryOf(change, entryId);
  const { workUnitId, reason } = entry;
  const replacement = createUnit(change, records, likeness(unitOf(records, workUnitId)));
  change.run(workUnit, replacement.workUnitId, 'note', { key: 'failure', text: reason });
  const found = goalAt(change, workUnitId);
  const { workUnitId: newWorkUnitId, branchId } = replacement;
  if (found) change.run(goal, found.goalId, 'replaceRoot', { workUnitId: newWorkUnitId, branchId });
  change.run(deadLetter, entryId, 'resolve', { resolution: 'Replanned', newWorkUnitIds: [newWorkUnitId] });
  cancelTree(change, records, workUnitId, 'planned anew');
  followRoot(change, replacement);
  for (const { workUnitId: waiting } of records.workUnits.where('needs', workUnitId)) {
    const { status, dependsOn } = change.state(workUnit, waiting)!;
    const instead = dependsOn.map((id) => (id === workUnitId ? newWorkUnitId : id));
    if (!isOver(status)) change.run(workUnit, waiting, 'depend', { dependsOn: instead });
  }
  enqueue(change, records, newWorkUnitId, { profileId: 'planner', ...modelOf(entry) });
  return change.state(workUnit, newWorkUnitId)!;
}

function likeness(failed: WorkUnit): NewUnit {
  const { branchId: _branch, ...given } = workUnitGiven.parse(failed);
  const { sliceId, seedFromBranchId } = failed.fanOutInfo;
  return { ...given, replacesWorkUnitId: failed.workUnitId, sliceId, seedFromBranchId };
}
