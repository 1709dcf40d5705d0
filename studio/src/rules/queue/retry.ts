/** Retry of a failed unit: as it was, with a person's correction, or from where it ran out of turns. Replanning is `replan`. */
import { deadLetter } from '../../record/aggregates/dead-letter/dead-letter.js';
import { type ScheduledItem, modelOf } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { steeringDecision } from '../../record/aggregates/steering-decision/steering-decision.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { attemptCap, entryOf } from './dead-letters.js';
import { type Overrides, enqueue } from './queue.js';
import { setStatus } from './set-status.js';

/** Retries, as often as the options allow. */
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

/** Retries afresh with a person's correction as part of the goal. */
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

/** Continues where it stopped, with a fresh budget of iterations. */
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
