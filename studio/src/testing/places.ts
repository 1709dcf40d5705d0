/** Where a unit is: whatever is not over is in exactly one place, so that nothing is forgotten. */
import type { WorkUnitStatus } from '../aggregates/work-unit/status.js';
import type { Records } from '../views/records.js';
import { unitOf } from '../flows/tree.js';

export type Place =
  | 'created'
  | 'queued'
  | 'leased'
  | 'parked'
  | 'dead-letter'
  | 'in-review'
  /** It goes on through its parts, or outside the queue. */
  | 'active'
  | 'over';

/** All places that say that they hold the unit. */
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

/** What a status says by itself. The others are said by the queue and the dead letters. */
const PLACE_OF: Readonly<Partial<Record<WorkUnitStatus, Place>>> = {
  Created: 'created',
  Active: 'active',
  Proposed: 'in-review',
  Reviewing: 'in-review',
  Completed: 'over',
  Merged: 'over',
  Cancelled: 'over',
};
