/** Execution snapshot: the state of an agent's work, and the recommended next action. */
import type { WorkUnitStatus } from '../../record/aggregates/work-unit/status.js';
import type { Progress } from '../../record/views/progress.js';
import type { Records } from '../../record/views/records.js';
import { unitOf } from '../../record/views/by-id.js';

export interface ExecutionSnapshot {
  readonly agentId: string;
  readonly workUnitId: string;
  readonly currentGoal: string;
  readonly currentTask?: string | undefined;
  readonly failureCount: number;
  readonly rollbackCount: number;
  readonly nextSuggestedAction?: string | undefined;
}

const NEXT: Readonly<Record<WorkUnitStatus, string | undefined>> = {
  Created: 'Enqueue it.',
  Active: 'Go on.',
  Waiting: 'Answer what it waits for, then resume it.',
  Queued: 'Wait until a worker takes it.',
  Executing: 'Go on.',
  Proposed: 'Review its proposal.',
  Reviewing: 'Settle the review.',
  Retrying: 'Wait until a worker takes it.',
  Failed: 'Find out why it failed, then requeue it.',
  DeadLettered: 'Retry it, or plan it anew.',
  Cancelled: undefined,
  Completed: undefined,
  Merged: undefined,
};

export function executionSnapshot(
  records: Records,
  { tasks }: Progress,
  { agentId, workUnitId }: { readonly agentId: string; readonly workUnitId: string },
): ExecutionSnapshot {
  const { goal, status, executionInfo } = unitOf(records, workUnitId);
  const { failureAttemptCount, automatedReviewRejectionCount, humanReviewRejectionCount } = executionInfo;
  const current = tasks.find(
    (task) => task.workUnitId === workUnitId && task.status === 'InProgress' && (task.assignee ?? agentId) === agentId,
  );
  return {
    agentId,
    workUnitId,
    currentGoal: goal,
    currentTask: current?.title,
    // Each rejection returns the work to an earlier stage.
    failureCount: failureAttemptCount,
    rollbackCount: automatedReviewRejectionCount + humanReviewRejectionCount,
    nextSuggestedAction: NEXT[status],
  };
}
