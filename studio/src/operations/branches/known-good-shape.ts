/** Shapes of known-good states, as callers see them. */
import { z } from 'zod';
import type { KnownGood } from '../../record/aggregates/known-good/known-good.js';

export const StateId = z.string().min(1).max(200).describe('Id of a known-good state.');

export const KnownGoodState = z
  .object({
    stateId: z.string().describe('Id of the state.'),
    branchId: z.string().describe('Branch that it is of.'),
    repositoryId: z.string().describe('Repository of the branch.'),
    description: z.string().describe('What is good about it.'),
    verificationResults: z.string().optional().describe('What was checked.'),
    createdAt: z.string().describe('When it was marked, ISO 8601.'),
    createdBy: z.string().describe('Who marked it.'),
    snapshotId: z.string().describe('Commit that holds its files.'),
    nodeId: z.string().optional().describe('Event that it belongs to.'),
  })
  .meta({ id: 'KnownGoodState', description: 'A state of a branch that was found to be good.' });

export const Differences = z
  .object({
    stateIdA: z.string().describe('The first.'),
    stateIdB: z.string().describe('The second.'),
    differences: z
      .array(
        z.object({
          relativePath: z.string().describe('Path of the file.'),
          status: z
            .enum(['Added', 'Removed', 'Modified'])
            .describe('What happened to it from the first to the second.'),
        }),
      )
      .describe('Files that are not the same.'),
    addedCount: z.number().describe('Files that only the second has.'),
    removedCount: z.number().describe('Files that only the first has.'),
    modifiedCount: z.number().describe('Files that both have, differently.'),
  })
  .meta({ id: 'KnownGoodDiff', description: 'How two known-good states differ.' });

export const Materialization = z
  .object({
    workUnitId: z.string().optional().describe('Work unit whose files they are, if they are of one.'),
    snapshotId: z.string().describe('Commit whose files they are.'),
    targetKind: z.literal('LocalFilesystem').describe('Always LocalFilesystem.'),
    targetPath: z.string().describe('Folder that holds them now.'),
    fileCount: z.number().describe('How many there are.'),
    durationMs: z.number().describe('How long it took.'),
    succeeded: z.literal(true).describe('Always true.'),
  })
  .meta({ id: 'MaterializationResult', description: 'Files that were written to a folder.' });

export function stateView({ commit, ...found }: KnownGood): z.input<typeof KnownGoodState> {
  return { ...found, snapshotId: commit };
}
