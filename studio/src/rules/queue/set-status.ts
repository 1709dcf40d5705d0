/** Status of a unit, and of its goal with it. Only `move` and `queue` set it, because more depends on it. */
import { type GoalStatus, goal } from '../../record/aggregates/goal/goal.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { type WorkUnitStatus, isOver } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { unitOf } from '../../record/views/by-id.js';
import { goalAt } from '../goals/tree.js';

/** Goal status by the status of its root. */
const GOAL_STATUS: Readonly<Record<WorkUnitStatus, GoalStatus>> = {
  Created: 'Exploring',
  Active: 'Exploring',
  Waiting: 'Blocked',
  Completed: 'Converged',
  Failed: 'Blocked',
  Cancelled: 'Abandoned',
  Queued: 'Exploring',
  Executing: 'Exploring',
  Proposed: 'Converging',
  Reviewing: 'Converging',
  Merged: 'Converged',
  DeadLettered: 'Blocked',
  Retrying: 'Exploring',
};

export function setStatus(change: Change, workUnitId: string, to: WorkUnitStatus, reason?: string): WorkUnit {
  const unit = change.run(workUnit, workUnitId, 'move', { to, ...(reason === undefined ? {} : { reason }) });
  followRoot(change, unit);
  return unit;
}

/** Guard: the unit, unless it is over or has failed. */
export function requireOpen(change: Pick<Change, 'state'>, records: Records, workUnitId: string): WorkUnit {
  const unit = change.state(workUnit, workUnitId) ?? unitOf(records, workUnitId);
  const { status } = unit;
  if (!isOver(status) && status !== 'DeadLettered') return unit;
  throw refusal('reject.wrong_state', `work unit ${workUnitId} is ${status}`, { workUnitId, status });
}

/** Derives a goal's status from its root, unless it is paused. */
export function followRoot(change: Change, { workUnitId, status }: WorkUnit): void {
  const found = goalAt(change, workUnitId);
  if (found) change.run(goal, found.goalId, 'become', { status: GOAL_STATUS[status] });
}
