/** Work units as a tree: a goal's root and the parts that it was divided into. */
import type { WorkUnit } from '../aggregates/work-unit/state.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import type { Change } from '../ledger/change.js';
import { refusal } from '../reasons.js';
import type { Records } from '../views/records.js';

export function unitOf({ workUnits }: Records, workUnitId: string): WorkUnit {
  const unit = workUnits.get(workUnitId);
  if (unit) return unit;
  throw refusal('reject.workunit_not_found', `no work unit is called ${workUnitId}`, { workUnitId });
}

/** The same as the change leaves it, for units that it has itself made. */
export function unitIn(change: Change, workUnitId: string): WorkUnit {
  const unit = change.state(workUnit, workUnitId);
  if (unit) return unit;
  throw refusal('reject.workunit_not_found', `no work unit is called ${workUnitId}`, { workUnitId });
}

/** The unit and all below it, parents before their parts. */
export function treeOf(records: Records, workUnitId: string): WorkUnit[] {
  const found = [unitOf(records, workUnitId)];
  for (const unit of found) found.push(...records.workUnits.where('parent', unit.workUnitId));
  return found;
}

/** The unit and those that it is a part of, root first. */
export function lineageOf(records: Records, workUnitId: string): WorkUnit[] {
  const lineage = [unitOf(records, workUnitId)];
  for (const { parentWorkUnitId } of lineage) {
    const parent = parentWorkUnitId === undefined ? undefined : records.workUnits.get(parentWorkUnitId);
    if (parent) lineage.push(parent);
  }
  return lineage.reverse();
}

/** The unit that has no parent, from this one up. */
export function rootOf({ workUnits }: Records, workUnitId: string): WorkUnit | undefined {
  let unit = workUnits.get(workUnitId);
  while (unit?.parentWorkUnitId !== undefined) {
    const parent = workUnits.get(unit.parentWorkUnitId);
    if (!parent) break;
    unit = parent;
  }
  return unit;
}
