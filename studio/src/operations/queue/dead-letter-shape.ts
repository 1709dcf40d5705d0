/** Shapes of dead letters, as callers see them. */
import { z } from 'zod';
import { FAILURE_KINDS, RESOLUTIONS } from '../../record/aggregates/dead-letter/dead-letter.js';
import { shownModel } from '../agents/model-choice-shape.js';

export const EntryId = z.string().min(1).max(200).describe('Id of a dead letter.');

export const DeadLetterEntry = z
  .object({
    entryId: z.string().describe('Id of the dead letter.'),
    workUnitId: z.string().describe('Work unit that failed.'),
    agentId: z.string().optional().describe('Agent that worked on it.'),
    stage: z.string().optional().describe('Stage of the pipeline that it was in.'),
    profileId: z.string().describe('Profile of the agent.'),
    reason: z.string().describe('What went wrong.'),
    kind: z.enum(FAILURE_KINDS).describe('What kind of failure it is.'),
    lastProjectionSnapshot: z.string().optional().describe('What the agent saw last, as JSON.'),
    attemptCount: z.number().describe('Failed attempts since the last fresh start, with this one.'),
    maxAttemptsReached: z
      .boolean()
      .describe('Whether it has failed as often as it may, so that it is not simply retried.'),
    occurredAt: z.string().describe('When it failed, ISO 8601.'),
    taskId: z.string().optional().describe('Task that it was for.'),
    ...shownModel,
    resolution: z.enum(RESOLUTIONS).optional().describe('What was done about it. Absent as long as nothing was.'),
    resolvedAt: z.string().optional().describe('When that was, ISO 8601.'),
  })
  .meta({ id: 'DeadLetterEntry', description: 'A failure of a work unit.' });
