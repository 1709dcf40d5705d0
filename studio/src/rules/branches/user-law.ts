/**
 * Law of the user's branches: none of them moves, and nothing comes to where it waits for that, but on the word that its policy
 * asks for. Whoever writes to one shows a warrant; a test lists all who write and fails on a new one.
 */
import { CANDIDATE, type Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { proposalOf } from '../../record/views/by-id.js';
import { isLookedAt } from '../goals/review-depth.js';
import { HYBRID_MINUTES, type ReviewPolicy, policyFor, strictest } from '../goals/review-policy.js';
import type { BranchContext } from './branch-context.js';
import { requireChecked } from '../goals/required-checks.js';
import { MAIN } from './stored-branch.js';

/** Warrant: on whose word a branch of the user's moves. */
export type Warrant =
  /** Somebody has asked for exactly this. */
  | { readonly by: 'caller'; readonly kind: 'person' | 'agent' | 'host' }
  /** Proposals land. */
  | { readonly by: 'proposals'; readonly proposalIds: readonly string[] }
  /** People have merged a proposal at its forge, whose checks are asked there. */
  | { readonly by: 'forge'; readonly proposalId: string }
  /** A landing that was on trial is taken back. */
  | { readonly by: 'take-back'; readonly proposalId: string };

type Judging = Pick<BranchContext, 'records' | 'now'>;

export function requireWarrant(context: Judging, warrant: Warrant): void {
  if (warrant.by === 'caller') {
    if (warrant.kind !== 'agent') return;
    throw refusal(
      'reject.review_required',
      `${MAIN} moves by what people have approved, not by what an agent asks for`,
      {
        branchId: MAIN,
      },
    );
  }
  if (warrant.by === 'proposals') {
    for (const id of warrant.proposalIds) requireLandable(context, proposalOf(context.records, id), MAIN);
    return;
  }
  if (warrant.by === 'forge') return requireDecided(context, proposalOf(context.records, warrant.proposalId), MAIN);
  const proposal = proposalOf(context.records, warrant.proposalId);
  if (proposal.takingBack) return;
  throw refusal('reject.wrong_state', `${proposal.proposalId} is not being taken back`, { status: proposal.status });
}

/** Guard: it was decided as its policy asks, and has the checks that its forge has to find good. */
export function requireLandable(context: Judging, proposal: Proposal, targetBranch: string): void {
  requireDecided(context, proposal, targetBranch);
  // What is on the candidate branch has been asked for them.
  if (proposal.status === 'Approved') requireChecked(context.records, proposal);
}

/**
 * Guard: where people decide, an agent's approval is not enough; where they may object, it is not enough yet; and where two agents are to
 * look at it, one is not.
 */
export function requireDecided({ records, now }: Judging, proposal: Proposal, targetBranch: string): void {
  const { proposalId, status, autoApplied, reviewedAt = proposal.updatedAt } = proposal;
  const isDecided = status === 'Approved' || status === 'Merged';
  if (!isDecided || !autoApplied) return;
  const reachesUser = targetBranch === MAIN || targetBranch === CANDIDATE;
  // Work without a unit has nobody who allowed agents to decide.
  const policies = allOf(records, proposal).map((one) => policyOf(records, one, reachesUser));
  const { policy, minutes = HYBRID_MINUTES } = strictest({ policy: 'AgentApproval' }, ...policies);
  if (policy !== 'HumanRequired' && reachesUser && status === 'Approved' && !isLookedAt(records, proposal))
    throw refusal('reject.review_required', `another agent must look at ${proposalId}`, { proposalId, policy });
  if (policy === 'AgentApproval') return;
  const until = Date.parse(reviewedAt) + minutes * 60_000;
  if (policy === 'Hybrid' && Date.parse(now()) >= until) return;
  const why =
    policy === 'Hybrid'
      ? `people may object to ${proposalId} for another while`
      : `a person must approve ${proposalId}`;
  throw refusal('reject.review_required', why, { proposalId, policy });
}

/** The proposal, and those that it brings together with others: it speaks for all of them. */
function allOf(records: Records, proposal: Proposal): Proposal[] {
  const all = new Map([[proposal.proposalId, proposal]]);
  for (const { reconciledFrom } of all.values())
    for (const id of reconciledFrom) {
      const found = records.proposals.get(id);
      if (found) all.set(id, found);
    }
  return [...all.values()];
}

function policyOf({ workUnits }: Records, { workUnitId = '' }: Proposal, reachesUser: boolean): ReviewPolicy {
  const unit = workUnits.get(workUnitId);
  if (!unit) return { policy: reachesUser ? 'HumanRequired' : 'AgentApproval' };
  // A part that was brought together with others was judged as one when it joined them.
  return policyFor(unit, reachesUser || unit.parentWorkUnitId === undefined);
}
