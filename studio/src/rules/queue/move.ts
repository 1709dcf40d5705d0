/** Status change of a work unit outside the queue, with its effects on what depends on it. */
import { agent } from '../../record/aggregates/agent/agent.js';
import { clarification } from '../../record/aggregates/clarification/clarification.js';
import { deadLetter } from '../../record/aggregates/dead-letter/dead-letter.js';
import { scheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { session } from '../../record/aggregates/session/session.js';
import { task } from '../../record/aggregates/task/task.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { type WorkUnitStatus, isDone, isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { endConflicts, reopenConflicts } from './end-conflicts.js';
import { releaseFiles } from './file-leases.js';
import { letGoOn } from './queue.js';
import { setStatus } from './set-status.js';
import { idsOfTree, sessionsAt } from '../goals/tree.js';

/** Statuses that may be set here: those of the queue are the queue's to set, and a failure becomes a dead letter. */
export type OutsideTheQueue = Exclude<WorkUnitStatus, 'Queued' | 'Executing' | 'Waiting' | 'Retrying' | 'Failed'>;

export function moveUnit(
  change: Change,
  records: Records,
  workUnitId: string,
  to: OutsideTheQueue,
  reason?: string,
): WorkUnit {
  const unit = setStatus(change, workUnitId, to, reason);
  const success = to !== 'Cancelled' && to !== 'DeadLettered';
  if (change.state(scheduledItem, workUnitId)) change.run(scheduledItem, workUnitId, 'remove', { success });
  if (isOver(to) || !success) end(change, records, unit, to);
  // Nobody works on it until its parts, or its next stage, have begun.
  if (to === 'Active') releaseFiles(change, records, workUnitId);
  if (isDone(to)) endWell(change, records, workUnitId);
  return unit;
}

/** Ends a unit: nobody works on it any more. */
function end(change: Change, records: Records, unit: WorkUnit, to: OutsideTheQueue): void {
  const { workUnitId } = unit;
  releaseFiles(change, records, workUnitId);
  for (const { requestId } of records.clarifications.where('open', workUnitId))
    change.run(clarification, requestId, 'abandon', { reason: `the work unit is ${to}` });
  for (const { agentId } of records.agents.where('workUnit', workUnitId))
    change.run(agent, agentId, 'stop', { reason: `the work unit is ${to}` });
  if (to === 'DeadLettered') return;
  // What lands ends them by itself, and says by what.
  if (to !== 'Merged')
    for (const { proposalId } of records.proposals.where('workUnit', workUnitId))
      endConflicts(change, records, proposalId, proposalId);
  for (const { entryId } of records.deadLetters.where('unresolved', workUnitId))
    if (change.state(deadLetter, entryId)?.resolution === undefined)
      change.run(deadLetter, entryId, 'resolve', { resolution: to === 'Cancelled' ? to : 'Landed' });
  if (to !== 'Cancelled') return;
  reopenConflicts(change, records, unit);
  for (const { taskId, status } of records.tasks.where('workUnit', workUnitId))
    if (status !== 'Completed') change.run(task, taskId, 'move', { to: 'Cancelled' });
}

/** Completes its sessions, and releases what they or its goal held back. */
function endWell(change: Change, records: Records, workUnitId: string): void {
  for (const { sessionId } of sessionsAt(change, records, workUnitId)) change.run(session, sessionId, 'complete', {});
  letGoOn(change, records, idsOfTree(records, workUnitId));
}
