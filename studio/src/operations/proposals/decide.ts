/** Decision of a review, with what follows for the work, the knowledge that it took into account, and the evidence. */
import type { Review } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { attachReview } from '../../rules/knowledge/evidence.js';
import { noteConsidered } from '../../rules/knowledge/feedback.js';
import { type RestartMode, approve, reject } from '../../rules/proposals/review.js';

export interface Decided extends Review {
  readonly decision: 'Approved' | 'Rejected';
  readonly restartMode: RestartMode;
  readonly consideredArtifactIds: string[];
}

export function decide(
  change: Change,
  records: Records,
  proposalId: string,
  { decision, restartMode, ...said }: Decided,
): Proposal {
  const found =
    decision === 'Approved'
      ? approve(change, proposalId, said)
      : reject(change, records, proposalId, { ...said, restartMode });
  noteConsidered(change, records, said.consideredArtifactIds, { proposalId, decision });
  attachReview(change, found, said.automated);
  return found;
}
