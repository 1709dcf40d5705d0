/** Shapes of findings and of files that change together, as callers see them. */
import { z } from 'zod';
import { FINDING_KINDS, FINDING_SOURCES, FINDING_STATUSES } from '../../record/aggregates/finding/finding.js';
import { STAGES } from '../../record/aggregates/work-unit/events.js';

export const FindingId = z.string().min(1).max(200).describe('Id of a finding.');
export const FindingKind = z
  .enum(FINDING_KINDS)
  .describe('What it would become: a rule for all work, or a better prompt.');
export const TargetStage = z.enum(STAGES).describe('Stage of the pipeline whose agents it is for.');

export const Finding = z
  .object({
    findingId: z.string().describe('Id of the finding.'),
    kind: FindingKind,
    source: z.enum(FINDING_SOURCES).describe('Who found it: a rule, a model, or somebody elsewhere.'),
    title: z.string().describe('What was found, in one line.'),
    summary: z.string().describe('What was found, whole.'),
    supportingDataJson: z.string().optional().describe('What it rests on, as JSON.'),
    status: z.enum(FINDING_STATUSES).describe('What was made of it.'),
    createdAt: z.string().describe('When it was found, ISO 8601.'),
    reviewNotes: z.string().optional().describe('What the review said.'),
    reviewedAt: z.string().optional().describe('When it was last reviewed, ISO 8601.'),
    promotedArtifactId: z.string().optional().describe('Rule that was made of it.'),
    targetStage: z.string().optional().describe('Stage of the pipeline whose agents it is for. Absent: all.'),
  })
  .meta({ id: 'Finding', description: 'Something that the record of work seems to teach.' });

export const CoModifications = z
  .object({
    repositoryId: z.string().describe('Id of the repository.'),
    patternCount: z.number().describe('How many pairs there are.'),
    patterns: z
      .array(
        z.object({
          pathA: z.string().describe('One file.'),
          pathB: z.string().describe('The other file.'),
          support: z.number().describe('Pieces of work that changed both.'),
          confidence: z.number().describe('Share of the changes to the busier one that changed both, 0 to 1.'),
        }),
      )
      .describe('Pairs of files, the surest first.'),
  })
  .meta({ id: 'CoModifications', description: 'Files that change together.' });
