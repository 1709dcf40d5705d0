/**
 * Cancellation of work with everything below it. What is merged or completed stays.
 *
 * The size of a change is bounded, so many units are cancelled in several changes, ancestors first. An open unit below a
 * cancelled one is then as good as cancelled: it is not started, and the next start finishes what this host did not.
 */
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { moveUnit } from './move.js';
import { lineageOf, treeOf } from '../goals/tree.js';

/** Batch size, well within what one change may hold. */
export const CANCELLED_AT_ONCE = 100;

/** Open units, oldest first. */
export function openUnits({ workUnits }: Records): WorkUnit[] {
  return workUnits.all().filter(isOpen);
}

/** Open units of a subtree. */
export function openInTree(records: Records, workUnitId: string): WorkUnit[] {
  return treeOf(records, workUnitId).filter(isOpen);
}

/** Open units below cancelled ones, left by an interrupted cancellation. */
export function openBelowCancelled(records: Records): WorkUnit[] {
  return openUnits(records).filter(({ workUnitId }) =>
    lineageOf(records, workUnitId).some(({ status }) => status === 'Cancelled'),
  );
}

/** Cancels a subtree in one change. Answers the cancelled units. */
export function cancelTree(change: Change, records: Records, workUnitId: string, reason?: string): string[] {
  return cancelThese(change, records, treeOf(records, workUnitId), reason);
}

/** Cancels the given units alone, whatever is below them. */
export function cancelThese(change: Change, records: Records, units: readonly WorkUnit[], reason?: string): string[] {
  const open = units.filter((unit) => isOpen(change.state(workUnit, unit.workUnitId)!));
  return open.map((unit) => moveUnit(change, records, unit.workUnitId, 'Cancelled', reason).workUnitId);
}

/** Cancels in changes of their own, until one more change can hold the rest. */
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
