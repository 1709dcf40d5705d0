/**
 * Integration of a unit's parts: approved ones land on the unit's merge branch, in dependency order; when all have, that branch
 * is proposed as the unit's result. Idempotent: asking again does what is left.
 */
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import { isReason } from '../../reasons.js';
import { moveUnit } from '../queue/move.js';
import { competes } from '../goals/review-policy.js';
import { isCompared } from './policy.js';
import { unitOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';
import { apply } from './apply.js';
import type { RecordContext } from '../../record/views/record-parts.js';
import type { BranchContext } from '../branches/branch-context.js';
import { MAIN, mergeBranchOf } from '../branches/stored-branch.js';
import { propose } from './propose.js';

export const RECONCILIATION_OUTCOMES = [
  'NoParts',
  'Waiting',
  'Conflict',
  'AlreadyProposed',
  'Proposed',
  'Unfit',
] as const;

export interface Reconciliation {
  readonly outcome: (typeof RECONCILIATION_OUTCOMES)[number];
  readonly proposalId: string | null;
  /** Explanation for people. */
  readonly detail: string;
}

export function reconcileParts(context: BranchContext, workUnitId: string): Promise<Reconciliation> {
  return context.lane.inOrder(`parts ${workUnitId}`, () => bringTogether(context, workUnitId));
}

async function bringTogether(context: BranchContext, workUnitId: string): Promise<Reconciliation> {
  const { records } = context;
  const unit = unitOf(records, workUnitId);
  const parts = records.workUnits
    .where('parent', workUnitId)
    .filter((part) => part.status !== 'Cancelled' && !competes(part) && !isCompared(records, part));
  if (parts.length === 0) return { outcome: 'NoParts', proposalId: null, detail: 'It has no parts.' };
  for (const { proposalId } of inOrder(parts).flatMap((part) => approvedOf(records, part)))
    try {
      await apply(context, proposalId, (record) => context.change(record));
    } catch (error) {
      if (!isReason(error, 'reject.merge_conflict')) throw error;
      await review(context, workUnitId);
      return { outcome: 'Conflict', proposalId, detail: `${proposalId} is in conflict with what others have changed.` };
    }
  const waiting = parts.filter(({ workUnitId: id }) => !isOver(unitOf(records, id).status));
  if (waiting.length > 0) {
    const detail = `Not merged yet: ${waiting.map((part) => part.workUnitId).join(', ')}.`;
    return { outcome: 'Waiting', proposalId: null, detail };
  }
  const sourceBranch = mergeBranchOf(workUnitId);
  const landed = records.proposals
    .where('landed', sourceBranch)
    .filter(({ status }) => status !== 'Rejected')
    .map(({ proposalId }) => proposalId);
  const before = records.proposals.where('source', sourceBranch).find((one) => bringsAll(one, landed));
  if (before) {
    const detail = `${before.proposalId} brings them together; it is ${before.status}.`;
    return { outcome: 'AlreadyProposed', proposalId: before.proposalId, detail };
  }
  const summary = `Bring together the parts of: ${unit.goal}`.slice(0, 2000);
  const offer = { sourceBranch, targetBranch: MAIN, goal: unit.goal, summary, changeDescription: summary };
  const record = await propose(context, { ...offer, workUnitId, reconciledFrom: landed });
  const { proposalId, status, reviewNotes = '' } = await context.change(record);
  if (status === 'Rejected') return { outcome: 'Unfit', proposalId, detail: reviewNotes };
  await review(context, workUnitId);
  return { outcome: 'Proposed', proposalId, detail: `${landed.length} proposals of ${parts.length} parts.` };
}

/** Topological order of parts. */
function inOrder(parts: readonly WorkUnit[]): WorkUnit[] {
  const sorted = new Set<WorkUnit>();
  const add = (part: WorkUnit, above: readonly WorkUnit[]): void => {
    if (above.includes(part)) return;
    for (const needed of parts) if (part.dependsOn.includes(needed.workUnitId)) add(needed, [...above, part]);
    sorted.add(part);
  };
  for (const part of parts) add(part, []);
  return [...sorted];
}

function approvedOf({ proposals }: Records, { workUnitId }: WorkUnit): Proposal[] {
  return proposals.where('workUnit', workUnitId).filter(({ status }) => status === 'Approved');
}

function bringsAll({ reconciledFrom, status }: Proposal, landed: readonly string[]): boolean {
  return status !== 'Rejected' && landed.every((proposalId) => reconciledFrom.includes(proposalId));
}

/** Moves the unit to review: it waits for decisions on its parts, or on their sum. */
async function review({ records, change }: RecordContext, workUnitId: string): Promise<void> {
  await change((open) => {
    const status = open.state(workUnit, workUnitId)?.status;
    if (status === 'Created' || status === 'Active' || status === 'Executing')
      moveUnit(open, records, workUnitId, 'Reviewing');
  });
}
