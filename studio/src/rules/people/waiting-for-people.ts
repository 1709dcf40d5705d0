/**
 * Attention list of a goal: failures, questions, proposals and keys that wait for a person. Derived from the record, never
 * stored.
 */
import type { Clarification } from '../../record/aggregates/clarification/clarification.js';
import type { DeadLetter } from '../../record/aggregates/dead-letter/dead-letter.js';
import { leaseEnds } from '../../record/aggregates/file-lease/file-lease.js';
import type { Goal } from '../../record/aggregates/goal/goal.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';
import { idsOfTree, treeOf } from '../goals/tree.js';
import { closedGate } from '../goals/required-checks.js';
import { personsTurn } from '../proposals/policy.js';

/** Latest unresolved failure in the goal's tree; by the log, because clocks jump. */
export function unresolvedFailure(records: Records, { workUnitId }: Goal): DeadLetter | undefined {
  const units = new Set(idsOfTree(records, workUnitId));
  return records.deadLetters.all().findLast((one) => one.resolution === undefined && units.has(one.workUnitId));
}

/** Open questions of the goal, oldest first. */
export function openQuestions(records: Records, { workUnitId }: Goal): Clarification[] {
  return treeOf(records, workUnitId)
    .flatMap((unit) => records.clarifications.where('open', unit.workUnitId))
    .sort((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1));
}

export interface PendingReview {
  readonly unit: WorkUnit;
  readonly proposal: Proposal;
  readonly action: 'review' | 'apply';
}

/** Latest proposal of each unit of the goal, where a person has to act. */
export function pendingReviews(records: Records, { workUnitId }: Goal): PendingReview[] {
  return treeOf(records, workUnitId).flatMap((unit) => {
    const proposal = isOver(unit.status) ? undefined : records.proposals.where('workUnit', unit.workUnitId).at(-1);
    const action = proposal && personsTurn(unit, proposal);
    // A landing that waits for checks is nobody's turn.
    return action && !(action === 'apply' && closedGate(records, proposal)) ? { unit, proposal, action } : [];
  });
}

const MAY_LAND: ReadonlySet<string> = new Set(['Draft', 'ReadyForReview', 'UnderReview', 'Approved']);

/** Proposals of the goal for the user's branch that checks of their forge keep from it, and what is missing. */
export function waitsForChecks(records: Records, { workUnitId }: Goal): string[] {
  return treeOf(records, workUnitId).flatMap((unit) => {
    const proposal = isOver(unit.status) ? undefined : records.proposals.where('workUnit', unit.workUnitId).at(-1);
    const closed = proposal && MAY_LAND.has(proposal.status) ? closedGate(records, proposal) : undefined;
    return closed && proposal ? [`${proposal.proposalId}: ${closed.because}`] : [];
  });
}

/** Keys that work within the goal waits for, by name. */
export function missingKeys(records: Records, { workUnitId }: Goal): string[] {
  const items = treeOf(records, workUnitId).flatMap((unit) => records.scheduledItems.get(unit.workUnitId) ?? []);
  const waiting = items.filter(({ place, parkedFor }) => place === 'parked' && parkedFor === 'Credentials');
  return [...new Set(waiting.flatMap(({ credentialRef }) => credentialRef ?? []))];
}

/** Files that work of the goal holds while other work waits for them, each as a sentence. */
export function waitsForFiles(records: Records, { workUnitId }: Goal): string[] {
  return treeOf(records, workUnitId).flatMap(({ workUnitId: id }) =>
    records.fileLeases.where('unit', id).flatMap((lease) => {
      const { path, holderWorkUnitId, waitQueue } = lease;
      if (holderWorkUnitId !== id || waitQueue.length === 0) return [];
      const ends = leaseEnds(lease);
      const until = ends === undefined ? '' : `, until ${new Date(ends).toISOString()} unless it writes it again`;
      return [`${path}: ${id} has it${until}; ${waitQueue.join(', ')} ${waitQueue.length === 1 ? 'waits' : 'wait'}`];
    }),
  );
}

/** Limits of vendors that hold work within the goal back. */
export function limitsOf(records: Records, { workUnitId }: Goal) {
  return treeOf(records, workUnitId).flatMap(({ workUnitId: id }) => {
    const { place, limited } = records.scheduledItems.get(id) ?? {};
    return place === 'parked' && limited ? [{ workUnitId: id, ...limited }] : [];
  });
}
