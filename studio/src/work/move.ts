/** Moves a work unit on, and with it what depends on how it stands. */
import { type GoalStatus, goal } from '../aggregates/goal/goal.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';
import type { WorkUnitStatus } from '../aggregates/work-unit/status.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import type { Change } from '../ledger/change.js';

/** What a goal is when its root is so. */
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

export function moveUnit(change: Change, workUnitId: string, to: WorkUnitStatus, reason?: string): WorkUnit {
  const unit = change.run(workUnit, workUnitId, 'move', { to, ...(reason === undefined ? {} : { reason }) });
  if (change.state(goal, workUnitId)) change.run(goal, workUnitId, 'become', { status: GOAL_STATUS[unit.status] });
  return unit;
}
