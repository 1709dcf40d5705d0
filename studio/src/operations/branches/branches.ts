/** Branches: where work happens, each with a folder when somebody needs one. */
import { Rejection } from '@weft/core';
import { z } from 'zod';
import { requireBranchName } from '../../record/aggregates/branch-name.js';
import { type Branch, branch } from '../../record/aggregates/branch/branch.js';
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { MAIN, headOf, isReserved, isUnbegun, storedBranch, repositoryOr } from '../../rules/branches/stored-branch.js';
import { editBranch, openSpace, save } from '../../rules/branches/save.js';
import { hasLandedAt, statusOfBranch } from '../../rules/branches/status.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import type { TreeEdit } from '../../workspace/git/objects/object-store.js';
import { BRANCHES, branchRef } from '../../workspace/git/objects/ref-names.js';
import { safePath } from '../../workspace/files/safe-path.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { BranchId, BranchStatus, FOLDER_REFUSALS, BRANCH_REFUSALS, RepositoryOfBranch } from './branch-shape.js';

export const list = operation({
  summary: 'List the branches: main, then the others, oldest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(z.string()),
  rest: { route: 'GET /studio/branches' },
  tool: 'branch_list',
  list: 'branchId',
  dispatch: true,
  refuses: [],
  annotations: READS,
}).run(({ records }) => [
  ...(records.repositories.all().length === 0 ? [] : [MAIN]),
  ...records.branches.all().map(({ branchId }) => branchId),
]);

export const create = operation({
  summary: 'Create a branch, from another one or from main.',
  scope: 'operate',
  in: z.object({
    name: z.string().min(1).max(400).describe('Name of the branch, which is its id.'),
    fromBranchId: BranchId.optional().describe('Branch that it begins with. Default: main.'),
    fromBranch: BranchId.optional().describe('Another name for fromBranchId.'),
    repositoryId: RepositoryOfBranch,
  }),
  out: z.object({
    branchId: z.string().describe('Id of the branch.'),
    name: z.string().describe('Its name, which is the same.'),
    fromBranchId: z.string().describe('Branch that it began with.'),
  }),
  rest: { route: 'POST /studio/branches' },
  tool: 'branch_create',
  dispatch: true,
  refuses: [
    'reject.branch_exists',
    'reject.branch_reserved',
    'reject.branch_of_others',
    'reject.invalid_input',
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ],
  annotations: ADDS,
}).run(async (context, { name, fromBranch = MAIN, fromBranchId = fromBranch, repositoryId }) => {
  if (isReserved(context.records, name))
    throw refusal('reject.branch_reserved', `${name} is kept by the studio`, { name });
  requireBranchName(name);
  // Throws, before anything is recorded, when no ref can have this name.
  branchRef(name);
  if (context.records.branches.get(name))
    throw refusal('reject.branch_exists', `branch ${name} is there already`, { name });
  // Work begins with what its people and its whole have for it, not with what an agent puts there.
  if (context.caller.kind === 'agent' && isUnbegun(context.records, name))
    throw refusal('reject.branch_of_others', `${name} is the branch of a work unit, which begins it itself`, { name });
  const from = await storedBranch(context, fromBranchId, repositoryId);
  const seedSnapshotId = await save(context, from);
  const given = { branchId: name, repositoryId: from.repositoryId, parentId: from.branchId, seedSnapshotId };
  const made = await context.answer((change) => {
    change.run(branch, name, 'create', given);
    return { branchId: name, name, fromBranchId };
  });
  await headOf(context, await storedBranch(context, name));
  return made;
});

export const status = operation({
  summary: 'Say where a branch is, and how many files of its folder are not saved.',
  scope: 'read',
  in: z.object({ branchId: BranchId, repositoryId: RepositoryOfBranch }),
  out: BranchStatus,
  rest: { route: 'GET /studio/branches/{branchId}/status', query: ['repositoryId'] },
  tool: 'branch_status',
  dispatch: true,
  refuses: [...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: READS,
}).run(async (context, { branchId, repositoryId }) => {
  // A read does not create the branch.
  if (isUnbegun(context.records, branchId)) return { branchId, status: 'active' as const, pendingChangeCount: 0 };
  return statusOfBranch(context, await storedBranch(context, branchId, repositoryId));
});

export const checkout = operation({
  summary: 'Make the folder of a branch, with what the branch holds.',
  scope: 'operate',
  in: z.object({ branchId: BranchId, repositoryId: RepositoryOfBranch }),
  out: z.object({
    branchId: z.string().describe('Id of the branch.'),
    status: z.literal('checked_out').describe('Always checked_out.'),
    workingDirectory: z.string().describe('Folder that it is in.'),
  }),
  rest: { route: 'POST /studio/branches/{branchId}/checkout' },
  tool: 'branch_checkout',
  refuses: [...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: SETS,
}).run(async (context, { branchId, repositoryId }) => {
  const { folder } = await openSpace(context, await storedBranch(context, branchId, repositoryId));
  return { branchId, status: 'checked_out' as const, workingDirectory: folder };
});

export const materializeFile = operation({
  summary: 'Make sure that a file of a branch is on disk.',
  scope: 'operate',
  in: z.object({
    branchId: BranchId,
    path: z.string().min(1).max(4096).describe('Path of the file, relative to the root.'),
    repositoryId: RepositoryOfBranch,
  }),
  out: z.object({
    branchId: z.string().describe('Id of the branch.'),
    path: z.string().describe('Path of the file.'),
    materialized: z.literal(true).describe('Always true.'),
  }),
  rest: { route: 'POST /studio/branches/{branchId}/materialize-file', query: ['path'] },
  refuses: ['reject.file_not_found', 'reject.path_outside_repository', ...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: SETS,
}).run(async (context, { branchId, path, repositoryId }) => {
  const branch = await storedBranch(context, branchId, repositoryId);
  const safe = safePath(path);
  if (!(await branch.store.entry(await headOf(context, branch), safe)))
    throw refusal('reject.file_not_found', `${branchId} has no file ${safe}`, {
      materialized: false,
      reason: 'the branch has no such file',
      repositoryId: branch.repositoryId,
    });
  await openSpace(context, branch);
  return { branchId, path: safe, materialized: true as const };
});

export const resyncFiles = operation({
  summary: 'Take over what a person has edited by hand, as changes of the branch.',
  scope: 'operate',
  in: z.object({
    branchId: BranchId,
    files: z
      .array(
        z.object({
          path: z.string().max(4096).describe('Path of the file, relative to the root.'),
          content: z.string().describe('All that is to be in it.'),
        }),
      )
      .max(10_000)
      .optional()
      .describe('Files that were written.'),
    deletedPaths: z.array(z.string().max(4096)).max(10_000).optional().describe('Files that were deleted.'),
    repositoryId: RepositoryOfBranch,
  }),
  out: z.object({
    branchId: z.string().describe('Id of the branch.'),
    written: z.array(z.string()).describe('Files that were written.'),
    deleted: z.array(z.string()).describe('Files that were deleted.'),
    errors: z
      .array(
        z.object({
          path: z.string().describe('Path that was given.'),
          error: z.string().describe('Why it could not be taken over.'),
        }),
      )
      .describe('What could not be taken over.'),
  }),
  rest: { route: 'POST /studio/branches/{branchId}/resync-files' },
  refuses: [...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: SETS,
}).run(async (context, { branchId, files = [], deletedPaths = [], repositoryId }) => {
  const branch = await storedBranch(context, branchId, repositoryId);
  const errors: { path: string; error: string }[] = [];
  const edits: TreeEdit[] = [];
  for (const { path, content } of [...files, ...deletedPaths.map((path) => ({ path, content: null }))]) {
    try {
      edits.push({ path: safePath(path), content });
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      errors.push({ path, error: error.message });
    }
  }
  await editBranch(context, branch, edits, `Take over ${edits.length} files edited by hand`);
  const written = edits.filter(({ content }) => content !== null).map(({ path }) => path);
  const deleted = edits.filter(({ content }) => content === null).map(({ path }) => path);
  return { branchId, written, deleted, errors };
});

export const collisions = operation({
  summary:
    'Say which branches could not be merged with each other, as they were saved last: main, candidate, and those that have not landed.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryOfBranch }),
  out: z.array(
    z.object({
      branchIds: z.array(z.string()).describe('The two branches.'),
      workUnitIds: z.array(z.string()).describe('Work that happens on them, if it is not only of people.'),
      conflicts: z
        .array(
          z.object({
            path: z.string().describe('File that both have changed.'),
            kind: z
              .string()
              .describe(
                'What kind of conflict it is, as git calls it, or driver: only a program of the user could merge it.',
              ),
          }),
        )
        .describe('Files in conflict.'),
    }),
  ),
  rest: { route: 'GET /studio/branches/collisions', query: ['repositoryId'] },
  refuses: BRANCH_REFUSALS,
  annotations: READS,
}).run(async (context, { repositoryId: named }) => {
  const { records, disk, radar } = context;
  const repositoryId = repositoryOr(records, named);
  const store = await disk.stores.of(repositoryId);
  const [main, candidate] = await Promise.all(
    [MAIN, CANDIDATE].map(async (branchId) => headOf(context, await storedBranch(context, branchId, repositoryId))),
  );
  const heads = new Map([[MAIN, main!]]);
  // A candidate branch without commits of its own is where main is.
  if (candidate !== main) heads.set(CANDIDATE, candidate!);
  const refs = await store.refs(BRANCHES);
  const live = records.workUnits.all().filter(({ status }) => !isOver(status));
  for (const { branchId } of [...live, ...ownBranches(records)]) {
    const head = refs.get(branchRef(branchId));
    if (head !== undefined && !hasLandedAt(records, branchId, head)) heads.set(branchId, head);
  }
  const workOn = (branchId: string): string[] =>
    records.workUnits.where('branch', branchId).map(({ workUnitId }) => workUnitId);
  return (await radar.look(store, heads)).map(({ branchIds, conflicts }) => ({
    branchIds: [...branchIds],
    workUnitIds: branchIds.flatMap(workOn),
    conflicts: [...conflicts],
  }));
});

/** Branches that belong to no work unit. */
function ownBranches({ branches, workUnits }: Records): Branch[] {
  return branches.all().filter(({ branchId, workUnitId }) => {
    return workUnitId === undefined && workUnits.where('branch', branchId).length === 0;
  });
}
