/** What follows for a unit from a review of what it proposed: whose word counts, and who does rejected work again. */
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { attemptCap } from '../queue/dead-letters.js';
import { lineOf } from '../goals/tree.js';

/** People say what should become of it. */
export function reviewedTooOften(records: Records, { executionInfo }: WorkUnit): boolean {
  const { automatedReviewRejectionCount: automated, humanReviewRejectionCount: human } = executionInfo;
  return Math.max(automated, human) >= attemptCap(records);
}

/** What has parts needs more of them; the rest goes back to the profile that did it. */
export function restartProfile(records: Records, { agentId = '', workUnitId = '' }: Proposal): string {
  if (records.workUnits.where('parent', workUnitId).length > 0) return 'planner';
  const { profileId: last = '' } = records.scheduledItems.get(workUnitId) ?? {};
  // Whoever had it last may have reviewed it.
  const doer = records.agentProfiles.get(last)?.stage === 'Review' ? undefined : last;
  const author = records.agents.get(agentId)?.profileId;
  return author ?? (doer || (records.workUnits.get(workUnitId)?.metadata?.['profileId'] ?? 'worker'));
}

/** Who reviews for agents: the profile that was named when an agent was taken on for the unit, or for the nearest of those above it. */
export function reviewerFor(look: Pick<Change, 'state'>, records: Records, workUnitId: string): string {
  const named = lineOf(look, workUnitId).flatMap((unit) =>
    records.agents
      .where('workUnit', unit.workUnitId)
      .flatMap(({ autoReviewProfileId }) => autoReviewProfileId ?? [])
      .slice(-1),
  );
  return named.find((profileId) => records.agentProfiles.get(profileId)?.stage === 'Review') ?? 'reviewer';
}

/** Whose word counts: for what reaches the repository of the user it is the workspace's policy, else that of the task. */
export function policyFor(unit: WorkUnit): {
  readonly policy: WorkUnit['taskReviewPolicy'];
  readonly minutes?: number;
} {
  if (competes(unit)) return { policy: 'HumanRequired' };
  const [policy, minutes] =
    unit.parentWorkUnitId === undefined
      ? [unit.workspaceReviewPolicy, unit.workspaceReviewHybridTimeoutMinutes]
      : [unit.taskReviewPolicy, unit.taskReviewHybridTimeoutMinutes];
  return minutes === undefined ? { policy } : { policy, minutes };
}

/** What a person has to do about a proposal before it goes on; undefined while agents or the clock have their turn. */
export function personsTurn(
  unit: WorkUnit,
  { status, autoApplied: isByAgent }: Pick<Proposal, 'status' | 'autoApplied'>,
): 'review' | 'apply' | undefined {
  const isApproved = status === 'Approved';
  const isUndecided = status === 'ReadyForReview' || status === 'UnderReview' || (isApproved && isByAgent);
  if (isUndecided) return policyFor(unit).policy === 'HumanRequired' ? 'review' : undefined;
  // What a person has approved for the repository, a person lands.
  return isApproved && unit.parentWorkUnitId === undefined ? 'apply' : undefined;
}

/** Whether it does again what a proposal has done: people say which of them lands, and nothing waits for it. */
export function competes({ branchedFromProposalId }: WorkUnit): boolean {
  return branchedFromProposalId !== undefined;
}

/** Whether it is a way of an experiment that nobody has won yet: what it proposes is compared, and does not land. */
export function isCompared({ experiments }: Records, { workUnitId, parentWorkUnitId }: WorkUnit): boolean {
  const [found] = parentWorkUnitId === undefined ? [] : experiments.where('parent', parentWorkUnitId);
  return found !== undefined && found.winnerId === undefined && found.forkWorkUnitIds.includes(workUnitId);
}
