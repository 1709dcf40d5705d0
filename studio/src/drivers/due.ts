/**
 * Next action of a work unit: a pure function of the record. It is asked again after each action, so a crash in between, or
 * asking twice, does no harm.
 */
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import type { Conflict } from '../record/aggregates/conflict/conflict.js';
import type { Proposal } from '../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { isDone, isOver } from '../record/aggregates/work-unit/status.js';
import { blockedReasonOf } from '../rules/goals/held-up.js';
import { HYBRID_MINUTES, competes, policyFor } from '../rules/goals/review-policy.js';
import { isCompared, personsTurn, restartProfile, reviewedTooOften } from '../rules/proposals/policy.js';
import { type OwnWorker, isEndingItsTurn, mayBeginReconciler, ownWorker } from '../rules/proposals/own-worker.js';
import { isLookedAt, reviewDepthOf } from '../rules/goals/review-depth.js';
import { closedGate } from '../rules/goals/required-checks.js';
import { openSlices } from '../rules/knowledge/slices.js';
import type { Records } from '../record/views/records.js';
import { workerFor } from './worker-for.js';

export type Due =
  /** Make parts of the slices of its plan. */
  | { readonly do: 'fan out' }
  | { readonly do: 'enqueue'; readonly profileId: string }
  /** Ask a model which of these profiles works on it. */
  | { readonly do: 'choose'; readonly profileId: string; readonly among: readonly AgentProfile[] }
  /** Merge the results of its parts into its own proposal. */
  | { readonly do: 'bring together' }
  | { readonly do: 'offer'; readonly proposal: Proposal }
  /** Approve it by its tests, without an agent. */
  | { readonly do: 'pass'; readonly proposal: Proposal; readonly because: string }
  | { readonly do: 'review'; readonly proposal: Proposal; readonly because: string }
  | { readonly do: 'apply'; readonly proposal: Proposal }
  /** Have whoever proposed it bring it up to date. */
  | { readonly do: 'bring up to date'; readonly conflictId: string; readonly worker: OwnWorker }
  | { readonly do: 'reconcile'; readonly conflictId: string }
  | { readonly do: 'end'; readonly to: 'Merged' | 'Completed' | 'Cancelled'; readonly reason?: string }
  /** Something that it needs was cancelled, or, without a reason, is so no more. */
  | { readonly do: 'block'; readonly reason: string | undefined }
  /** It cannot go on by itself. */
  | { readonly do: 'fail'; readonly reason: string }
  /** Nothing is due until then. */
  | { readonly do: 'wait'; readonly until: number };

export function dueFor(records: Records, unit: WorkUnit, now: number): Due | undefined {
  const reason = blockedReasonOf(records, unit);
  if (reason !== unit.fanOutInfo.blockedReason) return { do: 'block', reason };
  switch (unit.status) {
    case 'Created':
      return dueAtStart(records, unit);
    case 'Active':
      return dueForParts(records, unit);
    case 'Proposed':
    case 'Reviewing':
      return dueForProposal(records, unit, now);
    default:
      return undefined;
  }
}

/**
 * A part begins when its dependencies are done, and ends with the whole where it never did, as a fork may. A root begins when somebody
 * says so, except one that resolves a conflict; who takes up a cancelled one has said so, and how, which its last place tells.
 */
function dueAtStart(records: Records, unit: WorkUnit): Due | undefined {
  const { parentWorkUnitId, dependsOn, metadata, reconciliationSourceProposalIds } = unit;
  const parent = parentWorkUnitId === undefined ? undefined : records.workUnits.get(parentWorkUnitId);
  if (parent && isOver(parent.status))
    return { do: 'end', to: 'Cancelled', reason: `the work that it is a part of is ${parent.status}` };
  const last = records.scheduledItems.get(unit.workUnitId);
  const isAskedFor = reconciliationSourceProposalIds !== undefined || last !== undefined;
  if (parent ? parent.status !== 'Active' : !isAskedFor) return undefined;
  const needed = dependsOn.map((id) => records.workUnits.get(id)?.status);
  if (!needed.every(isDone)) return undefined;
  const usual = metadata?.['profileId'] ?? (reconciliationSourceProposalIds && 'reconciler');
  const named = last?.profileId ?? usual;
  if (named !== undefined) return { do: 'enqueue', profileId: named };
  const { profileId, among } = workerFor(records, unit);
  return among ? { do: 'choose', profileId, among } : { do: 'enqueue', profileId };
}

function dueForParts(records: Records, { workUnitId }: WorkUnit): Due | undefined {
  if (openSlices(records, workUnitId).length > 0) return { do: 'fan out' };
  const all = records.workUnits.where('parent', workUnitId);
  const parts = all.filter((part) => !competes(part));
  if (parts.length === 0 || parts.some((part) => !isOver(part.status) || isCompared(records, part))) return undefined;
  if (all.some(({ status }) => status === 'Merged')) return { do: 'bring together' };
  return parts.some(({ status }) => status === 'Completed') ? { do: 'end', to: 'Completed' } : undefined;
}

function dueForProposal(records: Records, unit: WorkUnit, now: number): Due | undefined {
  const proposal = records.proposals.where('workUnit', unit.workUnitId).at(-1);
  if (!proposal) return undefined;
  switch (proposal.status) {
    case 'Draft':
      return { do: 'offer', proposal };
    case 'ReadyForReview':
    case 'UnderReview':
      return personsTurn(unit, proposal) || isCompared(records, unit) ? undefined : dueReview(records, unit, proposal);
    case 'Approved':
      return dueWhenApproved(records, unit, proposal, now);
    case 'Rejected':
      return dueAnew(records, unit, proposal);
    case 'Merged':
      return proposal.onTrial ? undefined : { do: 'end', to: 'Merged' };
    case 'Superseded':
      if (hasLanded(records, proposal)) return { do: 'end', to: 'Merged' };
      // Somebody has said so while its reviewer was at work, and nothing stands in its place.
      return proposal.supersededBy === undefined ? dueAnew(records, unit, proposal) : undefined;
  }
}

function dueAnew(records: Records, unit: WorkUnit, proposal: Proposal): Due {
  if (reviewedTooOften(records, unit))
    return { do: 'fail', reason: proposal.reviewNotes ?? 'it was rejected again and again' };
  return { do: 'enqueue', profileId: restartProfile(records, proposal) };
}

/** Review by agents, as deep as the proposal needs it. */
function dueReview(records: Records, unit: WorkUnit, proposal: Proposal): Due {
  const { agents, because } = reviewDepthOf(records, unit, proposal);
  return { do: agents === 0 ? 'pass' : 'review', proposal, because };
}

function dueWhenApproved(records: Records, unit: WorkUnit, proposal: Proposal, now: number): Due | undefined {
  const { proposalId, autoApplied: byAgent, reviewedAt = proposal.updatedAt } = proposal;
  const { policy, minutes = HYBRID_MINUTES } = policyFor(unit);
  if (isCompared(records, unit)) return undefined;
  const open = records.conflicts.where('proposal', proposalId).find(({ status }) => status !== 'Resolved');
  if (open) return open.status === 'Open' ? dueForConflict(records, open, now) : undefined;
  if (personsTurn(unit, proposal)) return undefined;
  if (byAgent && !isLookedAt(records, proposal)) return dueReview(records, unit, proposal);
  if (byAgent && policy === 'Hybrid') {
    const until = Date.parse(reviewedAt) + minutes * 60_000;
    if (now < until) return { do: 'wait', until };
  }
  // What the forge says of it is an event of the goal, so it is looked at again.
  if (closedGate(records, proposal)) return undefined;
  return { do: 'apply', proposal };
}

/** Who brings both sides together: its own worker, else work of its own, else a person, whose list has the conflict, and who has cancelled such work. */
function dueForConflict(records: Records, open: Conflict, now: number): Due | undefined {
  const { conflictId, detectedAt, reconcilingWorkUnitId: before = '' } = open;
  if (records.workUnits.get(before)?.status === 'Cancelled') return undefined;
  const until = Date.parse(detectedAt) + TURN_ENDS_MS;
  if (now < until && isEndingItsTurn(records, open)) return { do: 'wait', until };
  const worker = ownWorker(records, open);
  if (worker) return { do: 'bring up to date', conflictId, worker };
  return mayBeginReconciler(records, open) ? { do: 'reconcile', conflictId } : undefined;
}

/** Time in which a turn ends, once its work has been proposed: programs are ended after half of it. */
const TURN_ENDS_MS = 60_000;

/** Whether a superseded proposal has landed: the one that replaced it has. */
function hasLanded(records: Records, { supersededBy }: Proposal): boolean {
  for (let id = supersededBy; id !== undefined; id = records.proposals.get(id)?.supersededBy)
    if (records.proposals.get(id)?.status === 'Merged') return true;
  return false;
}
