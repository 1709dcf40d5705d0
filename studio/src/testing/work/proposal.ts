import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import type { ProposalGiven } from '../../record/aggregates/merge-proposal/events.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { repository } from '../../record/aggregates/repository/repository.js';
import type { Change } from '../../record/ledger/change.js';
import type { Proposals } from '../../record/views/proposals.js';

const given = {
  proposalId: 'MP-1',
  sourceBranch: 'work-1',
  targetBranch: 'main',
  repositoryId: 'repo-1',
  goal: 'g',
  summary: 's',
  changeDescription: 's',
  filesTouched: [],
  reconciledFrom: [],
  baseCommit: '1'.repeat(40),
  headCommit: '2'.repeat(40),
};

/** A proposal with what a test says of it. */
export function proposal(more: Partial<Proposal>): Proposal {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    ...given,
    status: 'ReadyForReview',
    createdAt: at,
    updatedAt: at,
    consideredArtifactIds: [],
    autoApplied: false,
    promotedToDisk: false,
    landedOnCandidateBranch: false,
    ...more,
  };
}

/** Records a proposal, as a draft, in a repository that is registered. */
export function recordProposal(change: Change, proposalId: string, more: Partial<ProposalGiven> = {}): Proposal {
  const { repositoryId } = given;
  const registered = { repositoryId, path: '/r', label: undefined, rootCommits: [], abandonedPath: undefined };
  if (!change.state(repository, repositoryId)) change.run(repository, repositoryId, 'register', registered);
  return change.run(mergeProposal, proposalId, 'propose', { ...given, ...more, proposalId });
}

/** Proposals that nobody recorded. */
export function listedProposals(proposals: readonly Proposal[]): Proposals {
  return {
    get: (proposalId) => proposals.find((one) => one.proposalId === proposalId),
    all: () => proposals,
    ofUnit: (workUnitId) => proposals.filter((one) => one.workUnitId === workUnitId),
  };
}
