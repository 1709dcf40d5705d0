/** Invariant: a unit that is not over is in exactly one place, so that none is forgotten. */
import type { WorkUnitStatus } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';
import { unitOf } from '../../record/views/by-id.js';

export type Place =
  | 'created'
  | 'queued'
  | 'leased'
  | 'parked'
  | 'dead-letter'
  | 'in-review'
  /** It progresses through its parts, or outside the queue. */
  | 'active'
  | 'over';

/** Places that claim the unit. */
export function placesOf(records: Records, workUnitId: string): Place[] {
  const item = records.scheduledItems.get(workUnitId)?.place;
  const failures = records.deadLetters.where('unresolved', workUnitId);
  const { status } = unitOf(records, workUnitId);
  return [
    ...(item === undefined || item === 'removed' ? [] : [item]),
    ...failures.map(() => 'dead-letter' as const),
    ...(PLACE_OF[status] ? [PLACE_OF[status]] : []),
  ];
}

export interface Misplaced {
  readonly workUnitId: string;
  readonly status: WorkUnitStatus;
  readonly places: readonly Place[];
}

/** Violations: units in no place, which nobody would continue, or in several. There are none, unless the studio has a bug. */
export function misplaced(records: Records, workUnitIds?: Iterable<string>): Misplaced[] {
  const ids = workUnitIds ?? records.workUnits.all().map(({ workUnitId }) => workUnitId);
  const found = [...ids].map((id) => ({ ...unitOf(records, id), places: placesOf(records, id) }));
  return found
    .filter(({ places }) => places.length !== 1)
    .map(({ workUnitId, status, places }) => ({ workUnitId, status, places }));
}

/** Places implied by status alone; the queue and the dead letters say the others. */
const PLACE_OF: Readonly<Partial<Record<WorkUnitStatus, Place>>> = {
  Created: 'created',
  Active: 'active',
  Proposed: 'in-review',
  Reviewing: 'in-review',
  Completed: 'over',
  Merged: 'over',
  Cancelled: 'over',
};
