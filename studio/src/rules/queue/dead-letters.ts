/** Dead letters: failed units, out of the queue until a person says what becomes of them. `retry` and `replan` are the ways back. */
import { agent } from '../../record/aggregates/agent/agent.js';
import {
  type DeadLetter,
  type FailureKind,
  deadLetter,
  unresolved,
} from '../../record/aggregates/dead-letter/dead-letter.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import { modelOf, scheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { unitIn } from '../goals/tree.js';
import { moveUnit } from './move.js';
import { letGoOn } from './queue.js';

export interface Failure {
  readonly workUnitId: string;
  readonly kind: FailureKind;
  readonly reason: string;
  readonly agentId?: string | undefined;
  readonly lastProjectionSnapshot?: string;
}

/** Dead-letters a failed unit: it leaves the queue until a person decides. */
export function toDeadLetter(change: Change, records: Records, failure: Failure): DeadLetter {
  const { workUnitId, kind, reason, agentId, lastProjectionSnapshot } = failure;
  const item = change.state(scheduledItem, workUnitId);
  const before = unitIn(change, workUnitId).executionInfo.failureAttemptCount;
  const isKnown = agentId !== undefined && change.state(agent, agentId) !== undefined;
  const failed = isKnown ? change.run(agent, agentId, 'fail', { message: reason }) : undefined;
  const { currentStage } = moveUnit(change, records, workUnitId, 'DeadLettered', reason);
  // A failed agent's pause holds nothing back any more.
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

/** Unresolved entry; refused when it is resolved. */
export function entryOf(change: Change, entryId: string): DeadLetter {
  return unresolved(change.state(deadLetter, entryId));
}

/** Recovery actions of an entry. */
export function recoverableActions({ kind, maxAttemptsReached }: DeadLetter): string[] {
  return [
    ...(maxAttemptsReached ? [] : ['retry']),
    'retry_with_context',
    ...(kind === 'MaxIterationsExceeded' ? ['continue'] : []),
    'replan',
  ];
}

export function attemptCap(records: Records): number {
  return (records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS).maxFailureAttempts;
}
