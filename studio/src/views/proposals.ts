/** What others need to know of merge proposals. */
import type { Records } from './records.js';

export const PROPOSAL_STATUSES = [
  'Draft',
  'ReadyForReview',
  'Approved',
  'Rejected',
  'Merged',
  'UnderReview',
  'Superseded',
] as const;

export interface Proposal {
  readonly proposalId: string;
  readonly workUnitId?: string | undefined;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly goal: string;
  readonly summary: string;
  readonly status: (typeof PROPOSAL_STATUSES)[number];
  readonly filesTouched: readonly string[];
  /** The diff as text. */
  readonly workspaceChanges?: string | undefined;
  readonly diffGeneratedAt?: string | undefined;
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly confidence?: number | undefined;
  readonly verificationResults?: string | undefined;
  readonly reviewNotes?: string | undefined;
  readonly reconciledFrom: readonly string[];
}

export interface Proposals {
  get(proposalId: string): Proposal | undefined;
  /** Oldest first. */
  all(): readonly Proposal[];
  ofUnit(workUnitId: string): readonly Proposal[];
}

/** Nothing records proposals yet. */
export function proposalsOf(_records: Records): Proposals {
  return listedProposals([]);
}

export function listedProposals(proposals: readonly Proposal[]): Proposals {
  return {
    get: (proposalId) => proposals.find((one) => one.proposalId === proposalId),
    all: () => proposals,
    ofUnit: (workUnitId) => proposals.filter((one) => one.workUnitId === workUnitId),
  };
}
