import type { Proposal } from '../views/proposals.js';

/** A proposal with what a test says of it. */
export function proposal(given: Partial<Proposal>): Proposal {
  return {
    ...{ proposalId: 'MP-1', sourceBranch: 'work-1', targetBranch: 'main', goal: 'g', summary: 's' },
    ...{ status: 'ReadyForReview', filesTouched: [], reconciledFrom: [] },
    ...given,
  };
}
