/** Failed units: how they come here, and the four ways out. */
import { agent } from '../../record/aggregates/agent/agent.js';
import {
  type DeadLetter,
  type FailureKind,
  deadLetter,
  unresolved,
} from '../../record/aggregates/dead-letter/dead-letter.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import { type ScheduledItem, modelOf, scheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { steeringDecision } from '../../record/aggregates/steering-decision/steering-decision.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { moveUnit } from './move.js';
import { type Overrides, enqueue, letGoOn } from './queue.js';
import { setStatus } from './standing.js';

export interface Failure {
  readonly workUnitId: string;
  readonly kind: FailureKind;
  readonly reason: string;
  readonly agentId?: string | undefined;
  readonly lastProjectionSnapshot?: string;
}

/** Takes a failed unit out of the queue until a person says what should become of it. */
export function toDeadLetter(change: Change, records: Records, failure: Failure): DeadLetter {
  const { workUnitId, kind, reason, agentId, lastProjectionSnapshot } = failure;
  const item = change.state(scheduledItem, workUnitId);
  const before = change.state(workUnit, workUnitId)?.executionInfo.failureAttemptCount ?? 0;
  const isKnown = agentId !== undefined && change.state(agent, agentId) !== undefined;
  const failed = isKnown ? change.run(agent, agentId, 'fail', { message: reason }) : undefined;
  const { currentStage } = moveUnit(change, records, workUnitId, 'DeadLettered', reason);
  // An agent that was paused holds nothing back any more.
  if (failed) letGoOn(change, records, [failed.workUnitId]);
  const attemptCount = before + 1;
  change.run(workUnit, workUnitId, 'count', { counter: 'failureAttemptCount', value: attemptCount });
  const entryId = change.newId('DL-');
  return change.run(deadLetter, entryId, 'fail', {
    entryId,
    workUnitId,
    kind,
    failureReason: reason,
    agentId,
    lastProjectionSnapshot,
    stage: currentStage,
    profileId: item?.profileId ?? 'worker',
    taskId: item?.taskId,
    ...modelOf(item ?? {}),
    attemptCount,
    maxAttemptsReached: attemptCount >= attemptCap(records),
  });
}

export function retry(change: Change, records: Records, entryId: string, overrides: Overrides): void {
  const { workUnitId } = entryOf(change, entryId);
  const attempts = change.state(workUnit, workUnitId)?.executionInfo.failureAttemptCount ?? 0;
  const cap = attemptCap(records);
  if (attempts >= cap)
    throw refusal('reject.attempts_exhausted', `it has failed ${attempts} times; ${cap} are allowed`, {
      entryId,
      workUnitId,
      attempts,
      cap,
    });
  comeBack(change, records, entryId, overrides);
  change.run(deadLetter, entryId, 'resolve', { resolution: 'Retried' });
}

/** A person's correction becomes part of the goal, and the unit gets a fresh start. */
export function retryWithContext(
  change: Change,
  records: Records,
  entryId: string,
  steeringContext: string,
  overrides: Overrides,
): void {
  const { workUnitId } = entryOf(change, entryId);
  change.run(workUnit, workUnitId, 'amend', { correction: steeringContext });
  for (const counter of ['failureAttemptCount', 'automatedReviewRejectionCount', 'humanReviewRejectionCount'] as const)
    change.run(workUnit, workUnitId, 'count', { counter, value: 0 });
  const steeringDecisionId = change.newId('steer-');
  change.run(steeringDecision, steeringDecisionId, 'record', {
    steeringDecisionId,
    kind: 'RetryWithContext',
    workUnitId,
    constraint: steeringContext,
  });
  comeBack(change, records, entryId, overrides);
  change.run(deadLetter, entryId, 'resolve', { resolution: 'RetriedWithContext', steeringContext });
}

/** It goes on where it stopped, with a fresh budget of iterations. */
export function continueWork(change: Change, records: Records, entryId: string, overrides: Overrides): ScheduledItem {
  const { kind } = entryOf(change, entryId);
  if (kind !== 'MaxIterationsExceeded')
    throw refusal('reject.recovery_not_applicable', `only what ran out of iterations can go on; this is ${kind}`, {
      entryId,
      kind,
      actions: ['retry', 'retry_with_context', 'replan'],
    });
  const item = comeBack(change, records, entryId, overrides, entryId);
  change.run(deadLetter, entryId, 'resolve', { resolution: 'Continued' });
  return item;
}

/** The entry, if nothing has been done about it yet. */
export function entryOf(change: Change, entryId: string): DeadLetter {
  return unresolved(change.state(deadLetter, entryId));
}

/** What may be done about it. */
export function recoverableActions({ kind, maxAttemptsReached }: DeadLetter): string[] {
  return [
    ...(maxAttemptsReached ? [] : ['retry']),
    'retry_with_context',
    ...(kind === 'MaxIterationsExceeded' ? ['continue'] : []),
    'replan',
  ];
}

function comeBack(
  change: Change,
  records: Records,
  entryId: string,
  { profileId, ...choice }: Overrides,
  continuesEntryId?: string,
): ScheduledItem {
  const entry = entryOf(change, entryId);
  setStatus(change, entry.workUnitId, 'Retrying');
  return enqueue(change, records, entry.workUnitId, {
    profileId: profileId ?? entry.profileId,
    taskId: entry.taskId,
    ...modelOf(entry),
    ...modelOf(choice),
    ...(continuesEntryId === undefined ? {} : { continuesEntryId }),
  });
}

export function attemptCap(records: Records): number {
  return (records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS).maxFailureAttempts;
}
