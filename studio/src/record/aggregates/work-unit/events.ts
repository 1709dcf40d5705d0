/** Events of a work unit, its only persisted shapes. A shape that was written is never changed, only joined by a `v: 2`. */
import { z } from 'zod';
import { WORK_UNIT_STATUSES } from './status.js';

export const REVIEW_POLICIES = ['HumanRequired', 'AgentApproval', 'Hybrid'] as const;
export const OUTPUT_KINDS = ['FileChange', 'KnowledgeArtifact', 'Either'] as const;
export const FORK_TYPES = ['Code', 'Reasoning', 'Model', 'Research', 'Architecture', 'Library', 'Product'] as const;
export const STAGES = ['Orchestrate', 'Plan', 'Execute', 'Review', 'Merge', 'Reconcile'] as const;
export const COUNTERS = ['failureAttemptCount', 'automatedReviewRejectionCount', 'humanReviewRejectionCount'] as const;

const Status = z.enum(WORK_UNIT_STATUSES);

/** Fields of a new unit. */
export const workUnitGiven = z.object({
  goal: z.string(),
  branchId: z.string(),
  owner: z.string(),
  successCriteria: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  parentWorkUnitId: z.string().optional(),
  /** Failed unit that was replanned as this one. */
  replacesWorkUnitId: z.string().optional(),
  dependsOn: z.array(z.string()),
  fileScope: z.array(z.string()),
  sliceId: z.string().optional(),
  seedFromBranchId: z.string().optional(),
  branchedFromProposalId: z.string().optional(),
  forkType: z.enum(FORK_TYPES).optional(),
  taskReviewPolicy: z.enum(REVIEW_POLICIES),
  workspaceReviewPolicy: z.enum(REVIEW_POLICIES),
  taskReviewHybridTimeoutMinutes: z.number().optional(),
  workspaceReviewHybridTimeoutMinutes: z.number().optional(),
  bypassPromotionBranch: z.boolean(),
  expectedOutputKind: z.enum(OUTPUT_KINDS),
  repositoryId: z.string().optional(),
  referenceFiles: z
    .array(z.object({ repositoryId: z.string(), path: z.string(), note: z.string().optional() }))
    .optional(),
  reconciliationSourceProposalIds: z.array(z.string()).optional(),
  reconciliationTargetPaths: z.array(z.string()).optional(),
  reconciliationSourceRef: z.string().optional(),
  seedSnapshotId: z.string().optional(),
});

const about = { v: z.literal(1), workUnitId: z.string() };

export const workUnitEvent = z.discriminatedUnion('type', [
  workUnitGiven.extend({ type: z.literal('WorkUnitCreated'), ...about }),
  z.object({
    type: z.literal('WorkUnitStatusChanged'),
    ...about,
    previousStatus: Status,
    newStatus: Status,
    reason: z.string().optional(),
  }),
  z.object({ type: z.literal('WorkUnitStageChanged'), ...about, stage: z.enum(STAGES).nullable() }),
  z.object({
    type: z.literal('WorkUnitFileScopeChanged'),
    ...about,
    previousScope: z.array(z.string()),
    newScope: z.array(z.string()),
  }),
  z.object({ type: z.literal('WorkUnitAssigned'), ...about, agentId: z.string().nullable() }),
  /** A person's correction becomes part of the goal. */
  z.object({ type: z.literal('WorkUnitGoalAmended'), ...about, correction: z.string() }),
  /** Note for whoever works on it. */
  z.object({ type: z.literal('WorkUnitNoted'), ...about, key: z.string(), text: z.string() }),
  z.object({ type: z.literal('WorkUnitDependenciesChanged'), ...about, dependsOn: z.array(z.string()) }),
  z.object({ type: z.literal('WorkUnitBlocked'), ...about, blockedReason: z.string().nullable() }),
  /** What it brings together with its own asks for more. */
  z.object({
    type: z.literal('WorkUnitReviewPolicyTightened'),
    ...about,
    of: z.enum(['task', 'workspace']),
    policy: z.enum(REVIEW_POLICIES),
    minutes: z.number().optional(),
  }),
  z.object({ type: z.literal('WorkUnitCounted'), ...about, counter: z.enum(COUNTERS), value: z.number() }),
]);

export type WorkUnitEvent = z.infer<typeof workUnitEvent>;
export type WorkUnitGiven = z.infer<typeof workUnitGiven>;
