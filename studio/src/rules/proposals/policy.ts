/** Review policy: whose decision counts, and who does rejected work again. */
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { attemptCap } from '../queue/dead-letters.js';
import { policyFor } from '../goals/review-policy.js';
import { lineOf } from '../goals/tree.js';

/** Whether automatic reviews have rejected it so often that a person decides. */
export function reviewedTooOften(records: Records, { executionInfo }: WorkUnit): boolean {
  const { automatedReviewRejectionCount: automated, humanReviewRejectionCount: human } = executionInfo;
  return Math.max(automated, human) >= attemptCap(records);
}

/** Profile for rejected work: divided work is planned again; other work returns to the profile that did it. */
export function restartProfile(records: Records, { agentId = '', workUnitId = '' }: Proposal): string {
  if (records.workUnits.where('parent', workUnitId).length > 0) return 'planner';
  const { profileId: last = '' } = records.scheduledItems.get(workUnitId) ?? {};
  // The last holder may have been its reviewer.
  const doer = records.agentProfiles.get(last)?.stage === 'Review' ? undefined : last;
  const author = records.agents.get(agentId)?.profileId;
  return author ?? (doer || (records.workUnits.get(workUnitId)?.metadata?.['profileId'] ?? 'worker'));
}

/** Reviewing profile: named when an agent was taken on for the unit, or for the nearest of its ancestors. */
export function reviewerFor(look: Pick<Change, 'state'>, records: Records, workUnitId: string): string {
  const named = lineOf(look, workUnitId).flatMap((unit) =>
    records.agents
      .where('workUnit', unit.workUnitId)
      .flatMap(({ autoReviewProfileId }) => autoReviewProfileId ?? [])
      .slice(-1),
  );
  return named.find((profileId) => records.agentProfiles.get(profileId)?.stage === 'Review') ?? 'reviewer';
}

/** Action that a person has to take; undefined while agents or the clock have their turn. */
export function personsTurn(
  unit: WorkUnit,
  { status, autoApplied: isByAgent }: Pick<Proposal, 'status' | 'autoApplied'>,
): 'review' | 'apply' | undefined {
  const isApproved = status === 'Approved';
  const isUndecided = status === 'ReadyForReview' || status === 'UnderReview' || (isApproved && isByAgent);
  if (isUndecided) return policyFor(unit).policy === 'HumanRequired' ? 'review' : undefined;
  // A person lands what a person has approved for the repository.
  return isApproved && unit.parentWorkUnitId === undefined ? 'apply' : undefined;
}

/** Whether it is a way of an undecided experiment: its proposal is compared, and does not land. */
export function isCompared({ experiments }: Records, { workUnitId, parentWorkUnitId }: WorkUnit): boolean {
  const [found] = parentWorkUnitId === undefined ? [] : experiments.where('parent', parentWorkUnitId);
  return found !== undefined && found.winnerId === undefined && found.forkWorkUnitIds.includes(workUnitId);
}
