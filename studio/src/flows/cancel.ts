/** Ends work for good, with everything below it. What is merged or completed stays. */
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import { isOver } from '../aggregates/work-unit/status.js';
import type { Change } from '../ledger/change.js';
import type { Records } from '../views/records.js';
import { moveUnit } from './move.js';
import { treeOf } from './tree.js';

/** Answers the units that were cancelled. */
export function cancelTree(change: Change, records: Records, workUnitId: string, reason?: string): string[] {
  const open = treeOf(records, workUnitId).filter((unit) => !isOver(change.state(workUnit, unit.workUnitId)!.status));
  return open.map((unit) => moveUnit(change, records, unit.workUnitId, 'Cancelled', reason).workUnitId);
}
