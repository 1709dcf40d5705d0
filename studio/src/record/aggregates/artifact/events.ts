/** Events of an artifact, its only persisted shapes. A shape that was written is never changed, only joined by a `v: 2`. */
import { z } from 'zod';

export const ARTIFACT_TYPES = [
  'Goal',
  'Plan',
  'Task',
  'Research',
  'Decision',
  'Constraint',
  'BranchChangeset',
  'MergeProposal',
  'MergeResult',
  'ChangeIntent',
  'ExternalChangeset',
  'RevisionContext',
  'ReconciliationContext',
  'Supersession',
] as const;
export const ARTIFACT_STATUSES = ['Active', 'Approved', 'Rejected', 'Superseded', 'Applied', 'Invalidated'] as const;
export const REACHES = ['Private', 'Workgroup'] as const;

export type ArtifactType = (typeof ARTIFACT_TYPES)[number];
export type ArtifactStatus = (typeof ARTIFACT_STATUSES)[number];
export type Reach = (typeof REACHES)[number];

const Status = z.enum(ARTIFACT_STATUSES);

/** Fields of a recorded artifact. */
const artifactGiven = z.object({
  /** Type of the artifact; `type` is the event's. */
  artifactType: z.enum(ARTIFACT_TYPES),
  status: Status,
  title: z.string().optional(),
  body: z.string().optional(),
  parentArtifactId: z.string().optional(),
  ownedByWorkUnitId: z.string().optional(),
  ownedByAgentId: z.string().optional(),
  supersedes: z.array(z.string()),
  repositoryId: z.string().optional(),
  reach: z.enum(REACHES).optional(),
  promotedFromArtifactId: z.string().optional(),
  scopeVersion: z.number(),
  /** First recording of an artifact that was moved from the other room. */
  firstRecordedAt: z.string().optional(),
});

const about = { v: z.literal(1), artifactId: z.string() };

export const artifactEvent = z.discriminatedUnion('type', [
  artifactGiven.extend({ type: z.literal('ArtifactRecorded'), ...about }),
  z.object({
    type: z.literal('ArtifactStatusChanged'),
    ...about,
    previousStatus: Status,
    newStatus: Status,
    reason: z.string().optional(),
    /** Artifact whose invalidation caused this one. */
    byArtifactId: z.string().optional(),
  }),
  z.object({
    type: z.literal('ArtifactInvalidationCascaded'),
    ...about,
    rootArtifactId: z.string(),
    reason: z.string(),
    flaggedArtifactIds: z.array(z.string()),
  }),
  z.object({
    type: z.literal('ArtifactScopeChanged'),
    ...about,
    reach: z.enum(REACHES),
    repositoryId: z.string().nullable(),
    scopeVersion: z.number(),
  }),
]);

export type ArtifactEvent = z.infer<typeof artifactEvent>;
export type ArtifactGiven = z.infer<typeof artifactGiven>;
