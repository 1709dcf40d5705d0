/** Review policy of work: whose decision counts. Of several policies the strictest holds. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';

export interface ReviewPolicy {
  readonly policy: WorkUnit['taskReviewPolicy'];
  /** Time in which a person may object, for Hybrid. */
  readonly minutes?: number;
}

/** Time to object where none was said. */
export const HYBRID_MINUTES = 5;

const STRICTNESS: Readonly<Record<ReviewPolicy['policy'], number>> = { AgentApproval: 0, Hybrid: 1, HumanRequired: 2 };

/** Policy of a unit: the workspace's for what reaches the user's repository, else the task's. */
export function policyFor(unit: WorkUnit, reachesUser = unit.parentWorkUnitId === undefined): ReviewPolicy {
  if (competes(unit)) return { policy: 'HumanRequired' };
  const [policy, minutes] = reachesUser
    ? [unit.workspaceReviewPolicy, unit.workspaceReviewHybridTimeoutMinutes]
    : [unit.taskReviewPolicy, unit.taskReviewHybridTimeoutMinutes];
  return minutes === undefined ? { policy } : { policy, minutes };
}

/** Whether it redoes a proposal's work: a person chooses which one lands, and nothing waits for it. */
export function competes({ branchedFromProposalId }: WorkUnit): boolean {
  return branchedFromProposalId !== undefined;
}

/** Strictest policy of all, with the longest time to object. */
export function strictest(first: ReviewPolicy, ...more: readonly ReviewPolicy[]): ReviewPolicy {
  return more.reduce((one, other) => (isStricter(other, one) ? other : one), first);
}

export function isStricter(one: ReviewPolicy, other: ReviewPolicy): boolean {
  const [a, b] = [STRICTNESS[one.policy], STRICTNESS[other.policy]];
  if (a !== b) return a > b;
  return one.policy === 'Hybrid' && (one.minutes ?? HYBRID_MINUTES) > (other.minutes ?? HYBRID_MINUTES);
}
