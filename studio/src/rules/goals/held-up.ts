/** Blocked units: they depend on cancelled work, and wait for a person's decision. */
import type { Goal } from '../../record/aggregates/goal/goal.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Records } from '../../record/views/records.js';
import { treeOf } from './tree.js';

export interface HeldUp {
  readonly unit: WorkUnit;
  /** Cancelled units that it depends on. */
  readonly by: readonly WorkUnit[];
}

export function heldUpIn(records: Records, { workUnitId }: Pick<Goal, 'workUnitId'>): HeldUp[] {
  return treeOf(records, workUnitId).flatMap((unit) => {
    const by = cancelledNeedsOf(records, unit);
    return by.length === 0 ? [] : { unit, by };
  });
}

/**
 * Cancelled dependencies: of a part that has not begun, those that it depends on; of a divided unit, its parts when none of
 * them can succeed any more.
 */
export function cancelledNeedsOf({ workUnits }: Records, { workUnitId, status, dependsOn }: WorkUnit): WorkUnit[] {
  const needed = status === 'Created' ? dependsOn.flatMap((id) => workUnits.get(id) ?? []) : [];
  const parts = status === 'Active' ? workUnits.where('parent', workUnitId) : [];
  const isReplaced = (unit: WorkUnit): boolean => workUnits.where('replaces', unit.workUnitId).length > 0;
  const all = [...needed, ...(parts.every(isCancelled) ? parts : [])];
  return all.filter((unit) => isCancelled(unit) && !isReplaced(unit));
}

/** Why a unit cannot go on, for people; undefined while nothing that it needs was cancelled. */
export function blockedReasonOf(records: Records, unit: WorkUnit): string | undefined {
  const names = cancelledNeedsOf(records, unit).map(({ workUnitId, goal }) => `${workUnitId} (${goal.split('\n')[0]})`);
  return names.length === 0 ? undefined : `it needs what was cancelled: ${names.join(', ')}`;
}

function isCancelled({ status }: WorkUnit): boolean {
  return status === 'Cancelled';
}
