/** Shapes of branches, as callers see them. */
import { z } from 'zod';

export const BranchId = z
  .string()
  .min(1)
  .max(400)
  .describe('Id of a branch. "main" is the user\'s own branch, "candidate" what waits to reach it.');

export const RepositoryOfBranch = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Repository that is meant. Default: that of the branch, or the only one.');

const BRANCH_STATUSES = ['active', 'merged', 'evicted', 'conflicted'] as const;

export const BranchStatus = z
  .object({
    branchId: z.string().describe('Id of the branch.'),
    status: z.enum(BRANCH_STATUSES).describe('Whether work goes on, has landed, is off the disk, or is in conflict.'),
    pendingChangeCount: z.number().describe('Changed files in its folder that are not saved yet.'),
    headCheckpoint: z.string().optional().describe('Commit that it is at.'),
  })
  .meta({ id: 'BranchStatus', description: 'How a branch stands.' });

/** Refusals of every operation that looks up a branch. */
export const BRANCH_REFUSALS = [
  'reject.branch_not_found',
  'reject.branch_unknown_repository',
  'reject.repository_not_found',
  'reject.repository_folder_missing',
  'reject.objects_missing',
  'reject.git_failed',
] as const;

/** Refusals of every operation that saves a branch or makes its folder. */
export const FOLDER_REFUSALS = [
  'reject.workspace_conflict',
  'reject.branch_reserved',
  'reject.branch_moved',
  'reject.nested_repository',
  'reject.file_too_large',
  'reject.disk_quota',
] as const;

/** Refusals of every operation that moves the user's own branch. */
export const USER_REFUSALS = ['reject.folder_dirty', 'reject.folder_busy', 'reject.branch_checked_out'] as const;
