/** What follows for a unit from a review of what it proposed: whose word counts, and who does rejected work again. */
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';
import type { Records } from '../views/records.js';

/** So many rejections of one kind send work to people. */
const MOST_REJECTIONS = 3;

export function reviewedTooOften({ executionInfo }: WorkUnit): boolean {
  const { automatedReviewRejectionCount: automated, humanReviewRejectionCount: human } = executionInfo;
  return Math.max(automated, human) >= MOST_REJECTIONS;
}

/** Who does rejected work again: what has parts needs more of them; the rest goes back to the profile that did it. */
export function restartProfile(records: Records, { workUnitId }: WorkUnit, { agentId }: Proposal): string {
  if (records.workUnits.where('parent', workUnitId).length > 0) return 'planner';
  const author = agentId === undefined ? undefined : records.agents.get(agentId);
  return author?.profileId ?? 'worker';
}

/** Whose word counts: for what reaches the repository of the user it is the workspace's policy, else that of the task. */
export function policyFor({ parentWorkUnitId, ...unit }: WorkUnit) {
  return parentWorkUnitId === undefined
    ? { policy: unit.workspaceReviewPolicy, minutes: unit.workspaceReviewHybridTimeoutMinutes }
    : { policy: unit.taskReviewPolicy, minutes: unit.taskReviewHybridTimeoutMinutes };
}
