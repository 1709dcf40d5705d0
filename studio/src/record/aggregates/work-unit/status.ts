/** State machine of a work unit. Any transition that is not in this table is refused. */
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
  // To Reviewing when it was done before its turn.
  Waiting: ['Active', 'Failed', 'Queued', 'Executing', 'Reviewing', 'DeadLettered', 'Cancelled'],
  Queued: ['Executing', 'Waiting', 'Reviewing', 'DeadLettered', 'Cancelled'],
  // To Queued when the host ends during the work.
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
  // To Merged when a person lands its result, or has done it.
  DeadLettered: ['Retrying', 'Merged', 'Cancelled'],
  Failed: ['Queued', 'Cancelled'],
  // Requeued: to the queue, to its dependencies, or to its parts.
  Cancelled: ['Queued', 'Created', 'Active'],
  Completed: [],
  Merged: [],
};

/** Whether its result is there: what needs it may begin. */
export function isDone(status: WorkUnitStatus | undefined): boolean {
  return status === 'Completed' || status === 'Merged';
}

/** Whether it is over: nothing more happens to it by itself. */
export function isOver(status: WorkUnitStatus): boolean {
  return isDone(status) || status === 'Cancelled';
}
