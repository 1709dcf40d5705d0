/** Shapes of the queue, as callers see it. */
import { z } from 'zod';
import { PARK_REASONS, type ScheduledItem as Held } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import type { Records } from '../../record/views/records.js';
import { overlapOf } from '../../rules/queue/intents.js';
import { priorityOf } from '../../rules/queue/turns.js';
import { shownModel } from '../agents/model-choice-shape.js';

export const ScheduledItem = z
  .object({
    workUnitId: z.string().describe('Work unit whose turn it is about.'),
    profileId: z.string().describe('Profile of the agent that will work on it.'),
    taskId: z.string().optional().describe('Task that it is for.'),
    priority: z
      .number()
      .describe('The higher, the sooner: the highest of its open tasks, or of those of the nearest unit above.'),
    leasedBy: z.string().optional().describe('Agent that works on it now.'),
    leasedAt: z.string().optional().describe('Since when, ISO 8601.'),
    attemptCount: z.number().describe('How often it was begun.'),
    ...shownModel,
    sessionId: z.string().optional().describe('Session that it was enqueued in.'),
    conflict: z
      .object({
        overlappingFiles: z.array(z.string()).describe('Files that others are about to change as well.'),
        conflictingWorkUnitIds: z.array(z.string()).describe('Units that are about to change them.'),
      })
      .optional()
      .describe('Who else is about to change the same files.'),
    awaitingResume: z.boolean().describe('Whether it waits for a person: to resume it, or to answer.'),
    awaitingFileLease: z.boolean().describe('Whether it waits for a file that another unit holds.'),
    awaitingCredentials: z.boolean().describe('Whether it waits for its key.'),
    parkedReason: z.enum(PARK_REASONS).optional().describe('The one reason for which it waits outside the queue.'),
    limitedUntil: z.string().optional().describe('Until when a limit of the vendor holds it back, ISO 8601.'),
    limitedBecause: z.string().optional().describe('What the vendor says of that limit.'),
  })
  .meta({ id: 'ScheduledItem', description: 'The place of a work unit in the queue.' });

export function shownItem(records: Records, { parkedFor, limited, ...item }: Held): z.input<typeof ScheduledItem> {
  const conflict = overlapOf(records, item.workUnitId);
  return {
    ...item,
    priority: priorityOf(records, item.workUnitId),
    ...flagsOf(parkedFor, limited),
    ...(limited?.until === undefined ? {} : { limitedUntil: limited.until }),
    ...(limited && { limitedBecause: limited.because }),
    ...(conflict.overlappingFiles.length === 0 ? {} : { conflict }),
    ...(parkedFor === undefined ? {} : { parkedReason: parkedFor }),
  };
}

/** Flags of a parked item: a pause, an open question and a limit of spending wait for a person; another limit ends by itself. */
export function flagsOf(parkedFor: Held['parkedFor'], limited: Held['limited']) {
  const awaitingFileLease = parkedFor === 'FileLease';
  const awaitingCredentials = parkedFor === 'Credentials';
  const endsByItself = parkedFor === 'Limit' && limited?.until !== undefined;
  const awaitingResume = parkedFor !== undefined && !awaitingFileLease && !awaitingCredentials && !endsByItself;
  return { awaitingResume, awaitingFileLease, awaitingCredentials };
}
