/** Shapes of work units, as callers see them. */
import { z } from 'zod';
import { FORK_TYPES, OUTPUT_KINDS, REVIEW_POLICIES, STAGES } from '../../record/aggregates/work-unit/events.js';
import type { WorkUnit as Unit } from '../../record/aggregates/work-unit/state.js';
import { WORK_UNIT_STATUSES } from '../../record/aggregates/work-unit/status.js';
import type { Context } from '../kernel/context.js';
import { flagsOf } from '../queue/scheduled-item-shape.js';
import { Usage, usageOf } from '../agents/usage-shape.js';

export const WorkUnitId = z.string().min(1).max(200).describe('Id of a work unit.');
export const ReviewPolicy = z.enum(REVIEW_POLICIES);
export const Minutes = z.number().positive().max(100_000);
export const Status = z.enum(WORK_UNIT_STATUSES);

export const FileReference = z
  .object({
    repositoryId: z.string().min(1).max(200).describe('Repository that holds the file.'),
    path: z.string().min(1).max(4096).describe('Path relative to the root of that repository.'),
    note: z.string().max(4000).optional().describe('Why it is of interest.'),
  })
  .meta({ id: 'FileReference', description: 'A file of some repository, to be read for context.' });

const unit = {
  workUnitId: z.string().describe('Id of the work unit.'),
  goal: z.string().describe('What is to be achieved.'),
  branchId: z.string().describe('Branch that the work happens on.'),
  status: Status.describe('State of the work.'),
  createdAt: z.string().describe('When it was made, ISO 8601.'),
  updatedAt: z.string().describe('When it last changed, ISO 8601.'),
  owner: z.string().describe('Who asked for it.'),
  assignedAgent: z.string().optional().describe('Agent that works on it.'),
  successCriteria: z.string().optional().describe('How to tell that it is done.'),
  metadata: z.record(z.string(), z.string()).optional().describe('Notes of whoever made it.'),
  parentWorkUnitId: z.string().optional().describe('Unit that it is a part of. Absent for the root of a goal.'),
  replacesWorkUnitId: z.string().optional().describe('Unit that failed and was planned anew as this one.'),
  dependsOn: z.array(z.string()).describe('Units that must be merged before it begins.'),
  fileScope: z.array(z.string()).describe('Globs of the files that it may change. Empty: all.'),
  currentStage: z.enum(STAGES).optional().describe('Stage of the pipeline that it is in.'),
  executionInfo: z
    .object({
      failureAttemptCount: z.number().describe('Failed attempts since the last fresh start.'),
      automatedReviewRejectionCount: z.number().describe('Rejections by reviewing agents.'),
      humanReviewRejectionCount: z.number().describe('Rejections by people.'),
    })
    .describe('How often it was tried.'),
  fanOutInfo: z
    .object({
      sliceId: z.string().optional().describe('Slice of the plan that it is for.'),
      seedFromBranchId: z.string().optional().describe('Branch that its own began with.'),
      blockedReason: z.string().optional().describe('Why it cannot go on: what it needs was cancelled.'),
    })
    .describe('Its part in a plan.'),
  branchedFromProposalId: z.string().optional().describe('Proposal that it was branched from.'),
  forkType: z.enum(FORK_TYPES).optional().describe('What it tries out, if it is a fork.'),
  taskReviewPolicy: ReviewPolicy.describe('Who approves what is merged into its parent.'),
  workspaceReviewPolicy: ReviewPolicy.describe('Who approves what reaches the repository.'),
  taskReviewHybridTimeoutMinutes: z.number().optional().describe('How long a person has to object, for Hybrid.'),
  workspaceReviewHybridTimeoutMinutes: z
    .number()
    .optional()
    .describe('How long a person has to object before work reaches the repository, for Hybrid.'),
  bypassPromotionBranch: z.boolean().describe('Whether its merge goes past the candidate branch.'),
  expectedOutputKind: z.enum(OUTPUT_KINDS).describe('What it should bring about.'),
  repositoryId: z.string().optional().describe('Repository that it works on.'),
  referenceFiles: z.array(FileReference).optional().describe('Files to be read for context.'),
  workspaceId: z.string().describe('Workspace that it belongs to.'),
};

export const WorkUnit = z
  .object({
    ...unit,
    reconciliationSourceProposalIds: z.array(z.string()).optional().describe('Proposals that it brings together.'),
    reconciliationTargetPaths: z.array(z.string()).optional().describe('Files that it may overwrite to do so.'),
    reconciliationSourceRef: z.string().optional().describe('What it starts from to do so.'),
    seedSnapshotId: z.string().optional().describe('Snapshot that its branch began with.'),
  })
  .meta({ id: 'WorkUnit', description: 'A piece of work on a branch of its own.' });

export const WorkUnitView = z
  .object({
    ...unit,
    awaitingFileLease: z.boolean().describe('Whether it waits for a file that another unit holds.'),
    awaitingResume: z.boolean().describe('Whether it waits to be resumed.'),
    proposalCount: z.number().describe('Merge proposals that it has made.'),
    usage: Usage.optional().describe(
      'What models have cost for it alone. Absent before the first is asked, and for agents.',
    ),
  })
  .meta({ id: 'WorkUnitView', description: 'A work unit, with what the queue and the reviews say of it.' });

/** Work unit as a caller sees it. Agents do not see its cost: it changes each time, so their view would never look unchanged. */
export function viewOf(
  { records, caller }: Pick<Context, 'records' | 'caller'>,
  found: Unit,
): z.input<typeof WorkUnitView> {
  const { parkedFor, limited } = records.scheduledItems.get(found.workUnitId) ?? {};
  const { awaitingFileLease, awaitingResume } = flagsOf(parkedFor, limited);
  const proposalCount = records.proposals.where('workUnit', found.workUnitId).length;
  const costs = caller.kind === 'agent' ? [] : records.conversationEntries.costsOf(found.workUnitId);
  return { ...found, awaitingFileLease, awaitingResume, proposalCount, usage: usageOf(costs) };
}
