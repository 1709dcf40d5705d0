/** Units that wait for what was cancelled: nothing goes on with them until a person says what should become of that. */
import type { Goal } from '../../record/aggregates/goal/goal.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';
import { treeOf } from './tree.js';

export interface HeldUp {
  readonly unit: WorkUnit;
  /** Cancelled units that it needs. */
  readonly by: readonly WorkUnit[];
}

export function heldUpIn(records: Records, { workUnitId }: Pick<Goal, 'workUnitId'>): HeldUp[] {
  return treeOf(records, workUnitId).flatMap((unit) => {
    const by = cancelledNeedsOf(records, unit);
    return by.length === 0 ? [] : { unit, by };
  });
}

/** Of a part that has not begun, those that it depends on; of what was divided, its parts when nothing can come of them any more. */
export function cancelledNeedsOf({ workUnits }: Records, { workUnitId, status, dependsOn }: WorkUnit): WorkUnit[] {
  const needed = status === 'Created' ? dependsOn.flatMap((id) => workUnits.get(id) ?? []) : [];
  const parts = status === 'Active' ? workUnits.where('parent', workUnitId) : [];
  const isReplaced = (unit: WorkUnit): boolean => workUnits.where('replaces', unit.workUnitId).length > 0;
  const all = [...needed, ...(parts.every(isCancelled) ? parts : [])];
  return all.filter((unit) => isCancelled(unit) && !isReplaced(unit));
}

function isCancelled({ status }: WorkUnit): boolean {
  return status === 'Cancelled';
}
