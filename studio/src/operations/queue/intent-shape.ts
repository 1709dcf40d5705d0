/** Shapes of intents, as callers see them. */
import { z } from 'zod';

export const Intent = z
  .object({
    intentId: z.string().describe('Id of the intent.'),
    workUnitId: z.string().describe('Work unit whose it is.'),
    intentType: z.string().describe('What is about to be done: modify, for instance.'),
    targetPath: z.string().describe('File that is about to be changed.'),
    regionDescriptor: z.string().optional().describe('Part of the file.'),
    baseSnapshotHash: z.string().optional().describe('What the file was when this was said.'),
    createdAt: z.string().describe('When it was said, ISO 8601.'),
  })
  .meta({ id: 'Intent', description: 'What an agent is about to change.' });
