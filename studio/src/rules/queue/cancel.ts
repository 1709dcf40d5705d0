/**
 * Ends work for good, with everything below it. What is merged or completed stays.
 *
 * One change holds so much and no more, so many units are cancelled in several, what is above before what is below it. Whatever is open
 * below a cancelled unit is to be cancelled, then: nothing of it is begun meanwhile, and the next start ends what this host did not.
 */
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { moveUnit } from './move.js';
import { lineageOf, treeOf } from '../goals/tree.js';

/** What is written of so many is well within what one change may hold. */
export const CANCELLED_AT_ONCE = 100;

/** What is not over, the oldest first. */
export function openUnits({ workUnits }: Records): WorkUnit[] {
  return workUnits.all().filter(isOpen);
}

/** The same of a unit and all below it. */
export function openInTree(records: Records, workUnitId: string): WorkUnit[] {
  return treeOf(records, workUnitId).filter(isOpen);
}

/** What a cancelling has left that was not brought to its end. */
export function openBelowCancelled(records: Records): WorkUnit[] {
  return openUnits(records).filter(({ workUnitId }) =>
    lineageOf(records, workUnitId).some(({ status }) => status === 'Cancelled'),
  );
}

/** Answers the units that were cancelled. */
export function cancelTree(change: Change, records: Records, workUnitId: string, reason?: string): string[] {
  return cancelThese(change, records, treeOf(records, workUnitId), reason);
}

/** The same of units one by one, whatever is below them. */
export function cancelThese(change: Change, records: Records, units: readonly WorkUnit[], reason?: string): string[] {
  const open = units.filter((unit) => isOpen(change.state(workUnit, unit.workUnitId)!));
  return open.map((unit) => moveUnit(change, records, unit.workUnitId, 'Cancelled', reason).workUnitId);
}

/** The same in changes of their own, until so few are open that one more change can hold them. */
export async function cancelInParts(
  run: (work: (change: Change) => string[]) => Promise<string[]>,
  records: Records,
  open: () => readonly WorkUnit[],
): Promise<string[]> {
  const cancelled: string[] = [];
  for (let units = open(); units.length > CANCELLED_AT_ONCE; units = open()) {
    const first = units.slice(0, CANCELLED_AT_ONCE);
    cancelled.push(...(await run((change) => cancelThese(change, records, first))));
  }
  return cancelled;
}

function isOpen({ status }: WorkUnit): boolean {
  return !isOver(status);
}
