/** Events of a merge proposal, its only persisted shapes. A shape that was written is never changed, only joined by a `v: 2`. */
import { z } from 'zod';
import { PROPOSAL_STATUSES } from './status.js';

export const RESTART_MODES = ['Revise', 'Revert'] as const;

const CommitId = z.string().regex(/^[0-9a-f]{40,64}$/);
const Status = z.enum(PROPOSAL_STATUSES);

/** Fields of a new proposal. */
const proposalGiven = z.object({
  sourceBranch: z.string(),
  targetBranch: z.string(),
  repositoryId: z.string(),
  goal: z.string(),
  summary: z.string(),
  changeDescription: z.string(),
  workUnitId: z.string().optional(),
  agentId: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  sessionId: z.string().optional(),
  confidence: z.number().optional(),
  noFileChangesJustification: z.string().optional(),
  filesTouched: z.array(z.string()),
  /** What it takes away from the tests. */
  lostTests: z.array(z.string()).optional(),
  /** Lines that it adds and takes away. */
  linesChanged: z.number().int().optional(),
  reconciledFrom: z.array(z.string()),
  /** Base and head: commits that are kept for as long as the record is. */
  baseCommit: CommitId,
  headCommit: CommitId,
});

const about = { v: z.literal(1), proposalId: z.string() };
const landing = {
  targetBranch: z.string(),
  /** Commit of the target before. */
  from: CommitId,
  /** Commit of the target after. */
  to: CommitId,
};

export const proposalEvent = z.discriminatedUnion('type', [
  proposalGiven.extend({ type: z.literal('MergeProposed'), ...about }),
  z.object({
    type: z.literal('MergeProposalStatusChanged'),
    ...about,
    previousStatus: Status,
    newStatus: Status,
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('ProposalApproved'),
    ...about,
    approvedBy: z.string(),
    notes: z.string().optional(),
    automated: z.boolean(),
    verificationResults: z.string().optional(),
    consideredArtifactIds: z.array(z.string()),
  }),
  z.object({
    type: z.literal('ProposalRejected'),
    ...about,
    rejectedBy: z.string(),
    reason: z.string().optional(),
    automated: z.boolean(),
    verificationResults: z.string().optional(),
    consideredArtifactIds: z.array(z.string()),
    restartMode: z.enum(RESTART_MODES),
  }),
  z.object({ type: z.literal('ProposalSuperseded'), ...about, supersededBy: z.string() }),
  /** Write-ahead of a landing: its commit is decided, and nobody else moves the target there. */
  z.object({
    type: z.literal('MergeApplyStarted'),
    ...about,
    /** Version 1 did not name the host; there was one. */
    v: z.union([z.literal(1), z.literal(2)]),
    ...landing,
    hostId: z.string().optional(),
  }),
  /** Others moved the target before it landed. */
  z.object({ type: z.literal('MergeApplyAbandoned'), ...about, reason: z.string() }),
  z.object({
    type: z.literal('MergeApplied'),
    ...about,
    targetBranch: z.string(),
    resultCommitHash: CommitId,
    appliedSnapshotId: CommitId,
    /** Whether it is in the user's own repository. */
    promotedToDisk: z.boolean(),
  }),
  /** It has landed, and is on trial. */
  z.object({ type: z.literal('MergeTrialStarted'), ...about, hostId: z.string() }),
  z.object({ type: z.literal('MergeTrialPassed'), ...about }),
  /** Write-ahead of a take-back: the target fails with it, and will be without it. */
  z.object({
    type: z.literal('MergeTakeBackStarted'),
    ...about,
    ...landing,
    reason: z.string(),
    /** Execution that failed. */
    resultId: z.string(),
  }),
  /** It has reached the user's repository from the candidate branch. */
  z.object({ type: z.literal('ProposalPromoted'), ...about, promotedCommit: CommitId }),
]);

export type ProposalEvent = z.infer<typeof proposalEvent>;
export type ProposalGiven = z.infer<typeof proposalGiven>;
