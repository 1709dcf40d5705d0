/** Shapes of snapshots of what was known, as callers see them. */
import { z } from 'zod';
import { ARTIFACT_STATUSES } from '../../record/aggregates/artifact/events.js';

export const SnapshotId = z.string().min(1).max(200).describe('Id of a projection snapshot.');

const ArtifactStatus = z.enum(ARTIFACT_STATUSES);

export const ProjectionSnapshot = z
  .object({
    snapshotId: z.string().describe('Id of the snapshot.'),
    workUnitId: z.string().describe('Work unit that it is about.'),
    workUnitStatus: z.string().describe('State of that unit then.'),
    createdAt: z.string().describe('When it was taken, ISO 8601.'),
    artifacts: z
      .array(
        z.object({
          artifactId: z.string().describe('Id of the artifact.'),
          status: ArtifactStatus.describe('Its status then.'),
        }),
      )
      .describe('What was known.'),
    completedTaskIds: z.array(z.string()).describe('Tasks that were done.'),
  })
  .meta({ id: 'ProjectionSnapshot', description: 'What was known of a work unit at some moment.' });

export const SnapshotComparison = z
  .object({
    snapshotIdA: z.string().describe('The one snapshot.'),
    snapshotIdB: z.string().describe('The other.'),
    onlyInA: z.array(z.string()).describe('Artifacts that only the one holds.'),
    onlyInB: z.array(z.string()).describe('Artifacts that only the other holds.'),
    differingStatus: z
      .array(
        z.object({
          artifactId: z.string().describe('Id of the artifact.'),
          statusA: ArtifactStatus.describe('Its status in the one.'),
          statusB: ArtifactStatus.describe('Its status in the other.'),
        }),
      )
      .describe('Artifacts that both hold, with another status.'),
  })
  .meta({ id: 'SnapshotComparison', description: 'In what two snapshots differ.' });
