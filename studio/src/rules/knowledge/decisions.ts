/** Decisions on proposals. */
import { type Decision, type DecisionGiven, decision } from '../../record/aggregates/decision/decision.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { ProposalStatus } from '../../record/aggregates/merge-proposal/status.js';
import type { Change } from '../../record/ledger/change.js';
import { proposalOf } from '../../record/views/by-id.js';
import { approve, refuseProposal, reject, setAside, supersede } from '../proposals/review.js';
import type { Records } from '../../record/views/records.js';
import { present } from './artifacts.js';

export type Verdict = Omit<DecisionGiven, 'decisionId' | 'workUnitId'>;

/** Records a decision, and moves the proposal accordingly. */
export function decide(change: Change, records: Records, verdict: Verdict, isWorkOver = false): Decision {
  const { proposalId, outcome, rationale: notes, reviewerAgentId } = verdict;
  const { status, workUnitId } = proposalOf(records, proposalId);
  const isAutomated = reviewerAgentId !== undefined;
  const review = { by: reviewerAgentId ?? change.by, notes, automated: isAutomated, consideredArtifactIds: [] };
  if (OUTCOMES[status] !== outcome)
    switch (outcome) {
      case 'Accepted':
        approve(change, proposalId, review);
        break;
      case 'Rejected':
        if (isWorkOver) refuseProposal(change, records, proposalId, { ...review, restartMode: 'Revise' });
        else reject(change, records, proposalId, { ...review, restartMode: 'Revise' });
        break;
      case 'Superseded':
        if (isWorkOver) setAside(change, records, proposalId, notes);
        else supersede(change, records, proposalId, review);
        break;
      case 'Deferred':
    }
  const decisionId = change.newId('dec-');
  return change.run(decision, decisionId, 'record', { ...verdict, decisionId, ...present({ workUnitId }) });
}

const OUTCOMES: Readonly<Record<ProposalStatus, Decision['outcome'] | undefined>> = {
  Approved: 'Accepted',
  Merged: 'Accepted',
  Rejected: 'Rejected',
  Superseded: 'Superseded',
  Draft: undefined,
  ReadyForReview: undefined,
  UnderReview: undefined,
};

/** Implied decisions, from the status of proposals without a recorded one. */
export function decisionsShownBy(proposals: readonly Proposal[]): Omit<Decision, 'decidedAt'>[] {
  return proposals.flatMap(({ proposalId, workUnitId, status, confidence, reviewNotes: rationale }) => {
    const outcome = OUTCOMES[status];
    if (outcome === undefined) return [];
    return [
      { decisionId: `dec-${proposalId}`, proposalId, outcome, ...present({ workUnitId, confidence, rationale }) },
    ];
  });
}
