/** Shapes of artifacts and constraints, as callers see them. */
import { z } from 'zod';
import { ARTIFACT_STATUSES, ARTIFACT_TYPES, REACHES } from '../../record/aggregates/artifact/events.js';

export const ArtifactId = z.string().min(1).max(200).describe('Id of an artifact.');
export const ArtifactType = z.enum(ARTIFACT_TYPES);
export const Reach = z.enum(REACHES);
export const Title = z.string().min(1).max(1000).describe('What it says, in one line.');
export const Body = z.string().min(1).max(200_000).describe('What it says, whole.');

export const ArtifactRef = z
  .object({
    artifactId: z.string().describe('Id of the artifact.'),
    type: ArtifactType.describe('What kind of knowledge it is.'),
    parentArtifactId: z.string().optional().describe('Artifact that it was derived from.'),
    status: z.enum(ARTIFACT_STATUSES).describe('Whether it still counts: Active, Approved and Applied do.'),
    statusReason: z.string().optional().describe('Why its status is so, if somebody said.'),
    createdAt: z.string().describe('When it was recorded, ISO 8601.'),
    ownedByWorkUnitId: z.string().optional().describe('Work unit that it belongs to. Absent for what is for all.'),
    ownedByAgentId: z.string().optional().describe('Agent that recorded it.'),
    title: z.string().optional().describe('What it says, in one line.'),
    body: z.string().optional().describe('What it says, whole.'),
    invalidatedByArtifactId: z.string().optional().describe('Artifact that it fell with.'),
    supersedes: z.array(z.string()).describe('Artifacts that it takes the place of.'),
    repositoryId: z.string().optional().describe('Repository that it is about. Absent: all.'),
    reach: Reach.optional().describe('Who follows it: this host alone, or the whole workgroup.'),
    promotedFromArtifactId: z.string().optional().describe('Constraint of a work unit that it is a copy of.'),
    scopeVersion: z.number().describe('How often its scope was changed.'),
  })
  .meta({ id: 'ArtifactRef', description: 'Something that is known, and that work is based on.' });

export const ConstraintRow = z
  .object({
    artifactId: z.string().describe('Id of the constraint.'),
    title: z.string().optional().describe('What it says, in one line.'),
    body: z.string().optional().describe('What it says, whole.'),
    reach: Reach.describe('Who follows it: this host alone, or the whole workgroup.'),
    repositoryId: z.string().optional().describe('Repository that it is for. Absent: all.'),
    appliesToAllRepos: z.boolean().describe('Whether it is for all repositories.'),
    enabled: z.boolean().describe('Whether this host follows it.'),
  })
  .meta({ id: 'ConstraintRow', description: 'A rule that nobody owns, and whether it is followed here.' });

export const ProposedConstraint = z
  .object({
    artifactId: z.string().describe('Id of the constraint.'),
    title: z.string().optional().describe('What it says, in one line.'),
    body: z.string().optional().describe('What it says, whole.'),
    workUnitId: z.string().describe('Work unit that it came from.'),
    repositoryId: z.string().optional().describe('Repository of that unit.'),
    appliesToAllRepos: z.boolean().describe('Whether it would be for all repositories as it is.'),
    promoted: z.boolean().describe('Whether a rule for all was made of it.'),
  })
  .meta({ id: 'ProposedConstraint', description: 'A rule of one work unit that could become one for all.' });
