/** Shapes of merge proposals and conflicts, as callers see them. */
import { z } from 'zod';
import { CONFLICT_STATUSES, type Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { PROPOSAL_STATUSES } from '../../record/aggregates/merge-proposal/status.js';
import { TROUBLE_KINDS } from '../../rules/proposals/troubles.js';
import { FOLDER_REFUSALS, BRANCH_REFUSALS, USER_REFUSALS } from '../branches/branch-shape.js';

export const ProposalId = z.string().min(1).max(200).describe('Id of a merge proposal.');

export const MergeProposal = z
  .object({
    proposalId: z.string().describe('Id of the proposal.'),
    sourceBranch: z.string().describe('Branch that has the changes.'),
    targetBranch: z.string().describe('Branch that they are for.'),
    goal: z.string().describe('What was to be achieved.'),
    summary: z.string().describe('What was done, in short.'),
    changeDescription: z.string().describe('What was done, at length.'),
    verificationResults: z.string().optional().describe('What the review has checked.'),
    confidence: z.number().optional().describe('How sure its author is, from 0 to 1.'),
    status: z.enum(PROPOSAL_STATUSES).describe('State of the proposal.'),
    workspaceChanges: z.string().optional().describe('The changes as text. Left out of lists.'),
    troubles: z
      .array(
        z.object({
          kind: z.enum(TROUBLE_KINDS).describe('What it is about.'),
          text: z.string().describe('What failed.'),
        }),
      )
      .optional()
      .describe(
        'What its reviewer has to know, whatever its author says: builds and tests that failed and are not mended, changes that were refused, ' +
          'what it takes away from the tests, and work that is over. Left out of lists.',
      ),
    agentId: z.string().optional().describe('Agent that made it.'),
    model: z.string().optional().describe('Model that the agent used.'),
    provider: z.string().optional().describe('Who ran the model.'),
    sessionId: z.string().optional().describe('Session that it belongs to.'),
    workUnitId: z.string().optional().describe('Work unit that it is the result of.'),
    repositoryId: z.string().describe('Repository that it is for.'),
    filesTouched: z.array(z.string()).describe('Files that it changes.'),
    reconciledFrom: z.array(z.string()).describe('Proposals that it brings together.'),
    supersededBy: z.string().optional().describe('Proposal that took its place.'),
    autoApplied: z.boolean().describe('Whether no person has approved it.'),
    noFileChangesJustification: z.string().optional().describe('Why no file had to change.'),
    reviewNotes: z.string().optional().describe('What the review says.'),
    reviewedBy: z.string().optional().describe('Who has reviewed it.'),
    consideredArtifactIds: z.array(z.string()).describe('Artifacts that the review took into account.'),
    promotedToDisk: z.boolean().describe("Whether it has reached the user's repository."),
    landedOnCandidateBranch: z.boolean().describe('Whether it is on the candidate branch.'),
    baseCommit: z.string().describe('Commit that its changes are counted from.'),
    headCommit: z.string().describe('Commit that it proposes.'),
    resultCommit: z.string().optional().describe('Commit that it landed with.'),
    createdAt: z.string().describe('When it was made, ISO 8601.'),
    updatedAt: z.string().describe('When it last changed, ISO 8601.'),
  })
  .meta({ id: 'MergeProposal', description: 'Changes of one branch that are offered to another.' });

export const ProposalFileChange = z
  .object({
    path: z.string().describe('Path of the file.'),
    changeKind: z.enum(['Added', 'Modified', 'Deleted']).describe('What happened to it.'),
    beforeContent: z
      .string()
      .optional()
      .describe('Its text before. Absent when there was none, and when it is no text or a long one.'),
    afterContent: z
      .string()
      .optional()
      .describe('Its text after. Absent when there is none, and when it is no text or a long one.'),
    hunks: z
      .array(
        z.object({
          header: z.string().describe('Where in the file.'),
          lines: z
            .array(
              z.object({
                kind: z.enum(['context', 'added', 'removed']).describe('What happened to the line.'),
                text: z.string().describe('The line.'),
              }),
            )
            .describe('Lines around and of the change.'),
        }),
      )
      .describe('The changed places.'),
  })
  .meta({ id: 'ProposalFileChange', description: 'What a proposal does to one file.' });

export const MergeConflict = z
  .object({
    conflictId: z.string().describe('Id of the conflict.'),
    proposalId: z.string().describe('Proposal that cannot land.'),
    workUnitId: z.string().optional().describe('Work unit of that proposal.'),
    parentWorkUnitId: z.string().optional().describe('Work unit that it is a part of.'),
    conflictingPaths: z.array(z.string()).describe('Files that both have changed.'),
    detectedAt: z.string().describe('When it was found, ISO 8601.'),
    status: z.enum(CONFLICT_STATUSES).describe('State of the conflict.'),
    winningProposalId: z.string().optional().describe('Proposal that landed first.'),
    reconcilingWorkUnitId: z
      .string()
      .optional()
      .describe('Work unit that brings both sides together: that of the proposal, or one of its own.'),
    repositoryId: z.string().describe('Repository that it is in.'),
    targetBranch: z.string().describe('Branch that it is on.'),
  })
  .meta({ id: 'MergeConflict', description: 'A proposal that cannot land, because others have changed the same.' });

export function proposalView(found: Proposal, workspaceChanges?: string): z.input<typeof MergeProposal> {
  const { consideredArtifactIds, ...rest } = found;
  const changes = workspaceChanges === undefined ? {} : { workspaceChanges };
  return { ...rest, consideredArtifactIds: [...consideredArtifactIds], ...changes };
}

export function conflictView(found: Conflict): z.input<typeof MergeConflict> {
  return found;
}

/** Refusals of every operation that reads a proposal's files. */
export const PROPOSAL_REFUSALS = [
  'reject.proposal_not_found',
  'reject.repository_not_found',
  'reject.objects_missing',
  'reject.git_failed',
] as const;

/** Refusals of every operation that builds and tests. */
export const TRIAL_REFUSALS = [
  'reject.program_not_started',
  'reject.not_confined',
  'reject.execution_stopped',
] as const;

/** Refusals of every operation that lands a proposal. */
export const LANDING_REFUSALS = [
  ...['reject.wrong_state', 'reject.merge_conflict', 'reject.gate_failed', 'reject.review_required'],
  ...['reject.busy', 'reject.merge_taken_back', 'reject.checks_required'],
  ...['reject.forge_denied', 'reject.forge_absent', 'reject.forge_refused', 'reject.forge_answer'],
  ...['reject.forge_unreachable', 'reject.forge_limited'],
  ...TRIAL_REFUSALS,
  ...USER_REFUSALS,
  ...PROPOSAL_REFUSALS,
  ...BRANCH_REFUSALS,
  ...FOLDER_REFUSALS,
] as const;
