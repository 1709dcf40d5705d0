/** What was decided of proposals. */
import { type Decision, type DecisionGiven, decision } from '../aggregates/decision/decision.js';
import type { Change } from '../ledger/change.js';
import { refusal } from '../reasons.js';
import type { Proposal, Proposals } from '../views/proposals.js';
import { present } from './artifacts.js';

export function proposalOf(proposals: Proposals, proposalId: string): Proposal {
  const found = proposals.get(proposalId);
  if (found) return found;
  throw refusal('reject.proposal_not_found', `no proposal is called ${proposalId}`, { proposalId });
}

export function recordDecision(
  change: Change,
  proposals: Proposals,
  given: Omit<DecisionGiven, 'decisionId' | 'workUnitId'>,
): Decision {
  const { workUnitId } = proposalOf(proposals, given.proposalId);
  const decisionId = change.newId('dec-');
  return change.run(decision, decisionId, 'record', { ...given, decisionId, ...present({ workUnitId }) });
}

const OUTCOMES = {
  Approved: 'Accepted',
  Merged: 'Accepted',
  Rejected: 'Rejected',
  Superseded: 'Superseded',
  Draft: undefined,
  ReadyForReview: undefined,
  UnderReview: undefined,
} as const satisfies Record<Proposal['status'], Decision['outcome'] | undefined>;

/** What the states of proposals say was decided, where nobody recorded a decision. */
export function decisionsShownBy(proposals: readonly Proposal[]): Omit<Decision, 'decidedAt'>[] {
  return proposals.flatMap(({ proposalId, workUnitId, status, confidence, reviewNotes: rationale }) => {
    const outcome = OUTCOMES[status];
    if (outcome === undefined) return [];
    return [
      { decisionId: `dec-${proposalId}`, proposalId, outcome, ...present({ workUnitId, confidence, rationale }) },
    ];
  });
}
