/** Requeue of cancelled work. */
import { modelOf, scheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { task } from '../../record/aggregates/task/task.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isDone, isOver } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { type Overrides, enqueueAgain, wantAgain } from './queue.js';
import { setStatus } from './set-status.js';
import { retakeConflicts } from './end-conflicts.js';
import { steer } from '../goals/steer.js';
import { unitOf } from '../../record/views/by-id.js';
import { newestFor, treeOf } from '../goals/tree.js';

export interface Requeue {
  readonly notes?: string | undefined;
  readonly overrides: Overrides;
}

/** Requeues a unit and all below it that were cancelled with it. Answers them. */
export function requeue(change: Change, records: Records, workUnitId: string, { notes, overrides }: Requeue): string[] {
  const unit = unitOf(records, workUnitId);
  refuseUnlessCancelled(records, unit);
  const wanted = treeOf(records, workUnitId).filter(
    (part) => part.status === 'Cancelled' && !isReplaced(records, part) && !isSettled(records, part),
  );
  for (const part of wanted) {
    setStatus(change, part.workUnitId, 'Created');
    // Dependencies that were replanned meanwhile are replaced.
    change.run(workUnit, part.workUnitId, 'depend', { dependsOn: part.dependsOn.map((id) => newestFor(records, id)) });
    for (const { taskId } of records.tasks.where('workUnit', part.workUnitId)) change.run(task, taskId, 'reopen', {});
    retakeConflicts(change, records, part);
  }
  if (notes !== undefined) steer(change, workUnitId, notes);
  for (const part of wanted) begin(change, records, part.workUnitId, overrides, part.workUnitId === workUnitId);
  return wanted.map((part) => part.workUnitId);
}

/** Restarts a unit: a divided one continues through its parts, one with open dependencies begins once they are done, any other is queued. */
function begin(change: Change, records: Records, workUnitId: string, overrides: Overrides, isNamed: boolean): void {
  const choice = modelOf(overrides);
  const isOverridden = Object.keys(choice).length > 0;
  const parts = records.workUnits.where('parent', workUnitId);
  if (parts.some((part) => change.state(workUnit, part.workUnitId)?.status !== 'Cancelled')) {
    setStatus(change, workUnitId, 'Active');
    // Parts that begin later take the model of the nearest above.
    if (isOverridden) wantAgain(change, workUnitId, choice);
    return;
  }
  const isReadyNow = isReady(change, workUnitId);
  // A part that was never queued gets its turn like any other: its profile is chosen then.
  const { parentWorkUnitId: parent } = change.state(workUnit, workUnitId) ?? {};
  const isFirst = change.state(scheduledItem, workUnitId) === undefined && overrides.profileId === undefined;
  if (isFirst && parent !== undefined && !(isNamed && isOverridden)) {
    if (!isReadyNow || change.state(workUnit, parent)?.status === 'Active') return;
  }
  if (isReadyNow) enqueueAgain(change, records, workUnitId, overrides);
  else wantAgain(change, workUnitId, overrides);
}

/** Whether all dependencies are done. */
function isReady(change: Change, workUnitId: string): boolean {
  const { dependsOn = [] } = change.state(workUnit, workUnitId) ?? {};
  return dependsOn.every((id) => isDone(change.state(workUnit, id)?.status));
}

function refuseUnlessCancelled(records: Records, unit: WorkUnit): void {
  const { workUnitId, status, parentWorkUnitId } = unit;
  if (status !== 'Cancelled')
    throw refusal('reject.wrong_state', `work unit ${workUnitId} is ${status}, not Cancelled`, { workUnitId, status });
  if (isReplaced(records, unit))
    throw refusal('reject.wrong_state', 'it was planned anew; another unit has its place', { workUnitId, status });
  if (isSettled(records, unit)) {
    const why = 'the conflict that it was to bring together is over, or other work is at it';
    throw refusal('reject.wrong_state', why, { workUnitId, status });
  }
  const parent = parentWorkUnitId === undefined ? undefined : records.workUnits.get(parentWorkUnitId);
  if (parent && isOver(parent.status))
    throw refusal('reject.wrong_state', `the unit that it is a part of is ${parent.status}`, {
      workUnitId: parent.workUnitId,
      status: parent.status,
    });
}

function isReplaced(records: Records, { workUnitId }: WorkUnit): boolean {
  return records.workUnits.where('replaces', workUnitId).length > 0;
}

/** Whether it was to bring both sides of conflicts together of which none is open any more. Their proposals may be others by now, which it would end with the old ones. */
function isSettled({ conflicts }: Records, { reconciliationSourceProposalIds = [] }: WorkUnit): boolean {
  const found = reconciliationSourceProposalIds.flatMap((proposalId) => conflicts.where('proposal', proposalId));
  return found.length > 0 && found.every(({ status }) => status !== 'Open');
}
