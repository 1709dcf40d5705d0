/** Ends work for good, with everything below it. What is merged or completed stays. */
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';
import { isOver } from '../aggregates/work-unit/status.js';
import type { Change } from '../ledger/change.js';
import type { Records } from '../views/records.js';
import { moveUnit } from './move.js';
import { treeOf } from './tree.js';

/** What is written of so many is well within what one change may hold. */
export const CANCELLED_AT_ONCE = 100;

/** What is not over, the oldest first. */
export function openUnits({ workUnits }: Records): WorkUnit[] {
  return workUnits.all().filter(({ status }) => !isOver(status));
}

/** As many as go into one change. Answers them. */
export function cancelOldest(change: Change, records: Records): string[] {
  const oldest = openUnits(records).slice(0, CANCELLED_AT_ONCE);
  const open = oldest.filter(({ workUnitId }) => !isOver(change.state(workUnit, workUnitId)!.status));
  return open.map((unit) => moveUnit(change, records, unit.workUnitId, 'Cancelled').workUnitId);
}

/** Answers the units that were cancelled. */
export function cancelTree(change: Change, records: Records, workUnitId: string, reason?: string): string[] {
  const open = treeOf(records, workUnitId).filter((unit) => !isOver(change.state(workUnit, unit.workUnitId)!.status));
  return open.map((unit) => moveUnit(change, records, unit.workUnitId, 'Cancelled', reason).workUnitId);
}
