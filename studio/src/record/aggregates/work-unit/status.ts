/** What a work unit can be, and what it can become: the one table. Whatever is not in it is refused. */
export const WORK_UNIT_STATUSES = [
  'Created',
  'Active',
  'Waiting',
  'Completed',
  'Failed',
  'Cancelled',
  'Queued',
  'Executing',
  'Proposed',
  'Reviewing',
  'Merged',
  'DeadLettered',
  'Retrying',
] as const;
export type WorkUnitStatus = (typeof WORK_UNIT_STATUSES)[number];

export const TRANSITIONS: Readonly<Record<WorkUnitStatus, readonly WorkUnitStatus[]>> = {
  Created: ['Active', 'Queued', 'Waiting', 'Executing', 'Reviewing', 'Completed', 'Cancelled'],
  Active: ['Waiting', 'Queued', 'Completed', 'Failed', 'Reviewing', 'DeadLettered', 'Cancelled'],
  // To Reviewing when somebody has done it before its turn.
  Waiting: ['Active', 'Failed', 'Queued', 'Executing', 'Reviewing', 'DeadLettered', 'Cancelled'],
  Queued: ['Executing', 'Waiting', 'Reviewing', 'DeadLettered', 'Cancelled'],
  // Back to the queue when the host dies under it.
  Executing: [
    'Proposed',
    'Retrying',
    'DeadLettered',
    'Waiting',
    'Completed',
    'Reviewing',
    'Queued',
    'Active',
    'Cancelled',
  ],
  Proposed: ['Reviewing', 'Merged', 'Queued', 'Completed', 'DeadLettered', 'Cancelled'],
  Reviewing: ['Merged', 'Executing', 'Completed', 'Queued', 'DeadLettered', 'Cancelled'],
  Retrying: ['Executing', 'Queued', 'DeadLettered', 'Cancelled'],
  // To Merged when a person lands what it had done, or has done it.
  DeadLettered: ['Retrying', 'Merged', 'Cancelled'],
  Failed: ['Queued', 'Cancelled'],
  // Requeued: to its turn, to what it waits for, or to its parts.
  Cancelled: ['Queued', 'Created', 'Active'],
  Completed: [],
  Merged: [],
};

/** Nothing more happens to it by itself. */
export function isOver(status: WorkUnitStatus): boolean {
  return status === 'Completed' || status === 'Merged' || status === 'Cancelled';
}
