/** The only persisted shapes of a merge proposal. A shape that has been written is never changed, only joined by a `v: 2`. */
import { z } from 'zod';
import { PROPOSAL_STATUSES } from './status.js';

export const RESTART_MODES = ['Revise', 'Revert'] as const;

const CommitId = z.string().regex(/^[0-9a-f]{40,64}$/);
const Status = z.enum(PROPOSAL_STATUSES);

/** What is said of a proposal when it is made. */
export const proposalGiven = z.object({
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
  reconciledFrom: z.array(z.string()),
  /** What its changes are counted from, and what it proposes: commits that stay for as long as the record does. */
  baseCommit: CommitId,
  headCommit: CommitId,
});

const about = { v: z.literal(1), proposalId: z.string() };
const landing = {
  targetBranch: z.string(),
  /** Where the target was. */
  from: CommitId,
  /** Where it is then. */
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
  /** The commit that lands it is decided. Nobody else moves the target there. */
  z.object({
    type: z.literal('MergeApplyStarted'),
    ...about,
    /** The first did not say on which host; there was one. */
    v: z.union([z.literal(1), z.literal(2)]),
    ...landing,
    hostId: z.string().optional(),
  }),
  /** The target was moved by others before it landed. */
  z.object({ type: z.literal('MergeApplyAbandoned'), ...about, reason: z.string() }),
  z.object({
    type: z.literal('MergeApplied'),
    ...about,
    targetBranch: z.string(),
    resultCommitHash: CommitId,
    appliedSnapshotId: CommitId,
    /** In the user's own repository. */
    promotedToDisk: z.boolean(),
  }),
  /** It has landed, and whether it may stay is being found out. */
  z.object({ type: z.literal('MergeTrialStarted'), ...about, hostId: z.string() }),
  z.object({ type: z.literal('MergeTrialPassed'), ...about }),
  /** The target does not work with it, and is going to be without it. */
  z.object({
    type: z.literal('MergeTakeBackStarted'),
    ...about,
    ...landing,
    reason: z.string(),
    /** What has shown it. */
    resultId: z.string(),
  }),
  /** What had landed on the candidate branch has reached the user's repository. */
  z.object({ type: z.literal('ProposalPromoted'), ...about, promotedCommit: CommitId }),
]);

export type ProposalEvent = z.infer<typeof proposalEvent>;
export type ProposalGiven = z.infer<typeof proposalGiven>;
