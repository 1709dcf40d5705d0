/** Files of repositories: as they are in the user's folder, and as they are in the store. */
import { z } from 'zod';
import { branch } from '../../record/aggregates/branch/branch.js';
import { MAIN, folderOf, headOf, storedBranch } from '../../rules/branches/stored-branch.js';
import { requireInScope } from '../../rules/branches/files.js';
import { editBranch } from '../../rules/branches/save.js';
import { refusal } from '../../reasons.js';
import { unitOf } from '../../record/views/by-id.js';
import { compileGlob } from '../../workspace/files/glob.js';
import { readTextFile } from '../../workspace/files/read-file.js';
import { textOf } from '../../workspace/files/file-in-folder.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { FOLDER_REFUSALS, BRANCH_REFUSALS } from './branch-shape.js';
import { RepositoryId } from './repository-shape.js';

const Path = z.string().min(1).max(4096).describe('Path of the file, relative to the root.');
const Scope = z.string().max(4096).default('').describe('Folder to stay below. Default: the whole repository.');
const FOLDER = [
  ...['reject.repository_not_found', 'reject.repository_folder_missing', 'reject.path_outside_repository'],
  'reject.git_failed',
] as const;

export const readFile = operation({
  summary: "Read a text file of a repository, as it is in the user's folder.",
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId, path: Path }),
  out: z.object({ content: z.string().describe('The text.') }),
  rest: { route: 'GET /studio/repositories/{repositoryId}/file', query: ['path'] },
  tool: 'repository_read_file',
  dispatch: true,
  refuses: ['reject.file_not_found', 'reject.file_too_large', ...FOLDER],
  annotations: READS,
}).run(async (context, { repositoryId, path }) => ({
  content: await readTextFile(await folderOf(context, repositoryId), path),
}));

export const prefetch = operation({
  summary: 'Copy what main holds into the store, so that later work finds it there.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    fileScope: z.array(z.string().min(1).max(1000)).max(1000).optional().describe('Globs of the files that count.'),
  }),
  out: z.object({ fetched: z.number().describe('Files that are in the store now.') }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/prefetch' },
  refuses: [...BRANCH_REFUSALS],
  annotations: SETS,
}).run(async (context, { repositoryId, fileScope = [] }) => {
  const { store, head } = await mainOf(context, repositoryId);
  const globs = fileScope.map(compileGlob);
  const files = await store.files(head);
  return { fetched: files.filter(({ path }) => globs.length === 0 || globs.some((matches) => matches(path))).length };
});

export const blobList = operation({
  summary: 'List the files of main, as they are in the store.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId, scope: Scope }),
  out: z.object({
    paths: z.array(z.string()).describe('Paths of the files.'),
    count: z.number().describe('How many there are.'),
    snapshotId: z.string().describe('Commit that has them.'),
  }),
  tool: 'repository_blob_list',
  dispatch: true,
  refuses: ['reject.path_outside_repository', ...BRANCH_REFUSALS],
  annotations: READS,
}).run(async (context, { repositoryId, scope }) => {
  const { store, head } = await mainOf(context, repositoryId);
  const paths = (await store.files(head, scope)).map(({ path }) => path);
  return { paths, count: paths.length, snapshotId: head };
});

export const blobRead = operation({
  summary: 'Read a file of main from the store.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId, path: Path }),
  out: z.object({
    path: z.string().describe('Path of the file.'),
    blobId: z.string().describe('Id of what is in it.'),
    content: z.string().describe('The text, or the bytes as base64.'),
    contentType: z.enum(['text/plain', 'application/octet-stream']).describe('Whether it is text; bytes are base64.'),
  }),
  tool: 'repository_blob_read',
  dispatch: true,
  refuses: ['reject.file_not_found', 'reject.path_outside_repository', ...BRANCH_REFUSALS],
  annotations: READS,
}).run(async (context, { repositoryId, path }) => {
  const { store, head } = await mainOf(context, repositoryId);
  const entry = await store.entry(head, path);
  if (!entry || isFolder(entry.mode)) throw refusal('reject.file_not_found', `main has no file ${path}`, { path });
  const bytes = await store.read(entry.id);
  const text = textOf(bytes);
  return {
    path: entry.path,
    blobId: entry.id,
    content: text ?? bytes.toString('base64'),
    contentType: text === undefined ? ('application/octet-stream' as const) : ('text/plain' as const),
  };
});

export const blobWrite = operation({
  summary:
    "Write a file: on the branch of a work unit, or else on a branch that is kept for this. Never in the user's folder.",
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    path: Path,
    content: z.string().describe('All that is to be in it.'),
    workUnitId: z.string().min(1).max(200).optional().describe('Work unit whose branch it is for.'),
    reason: z.string().max(2000).optional().describe('Why it is written.'),
  }),
  out: z.object({
    path: z.string().describe('Path of the file.'),
    blobId: z.string().describe('Id of what is in it.'),
    kind: z.enum(['Add', 'Replace']).describe('Whether there was none before.'),
    branchId: z.string().describe('Branch that it is on.'),
  }),
  tool: 'repository_blob_write',
  dispatch: true,
  refuses: [
    ...['reject.workunit_not_found', 'reject.path_outside_repository', 'reject.outside_file_scope'],
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ] as const,
  annotations: ADDS,
}).run(async (context, { repositoryId, path, content, workUnitId, reason }) => {
  const safe = safePath(path);
  if (workUnitId !== undefined) requireInScope(context.records, { workUnitId }, safe);
  const branchId =
    workUnitId === undefined
      ? await branchForFiles(context, repositoryId)
      : unitOf(context.records, workUnitId).branchId;
  const branch = await storedBranch(context, branchId, repositoryId);
  const before = await branch.store.entry(await headOf(context, branch), safe);
  const commit = await editBranch(context, branch, [{ path: safe, content }], reason ?? `Write ${safe}`);
  const blobId = (await branch.store.entry(commit, safe))?.id ?? '';
  return { path: safe, blobId, kind: before ? ('Replace' as const) : ('Add' as const), branchId };
});

export const blobSearch = operation({
  summary: 'Find lines of the files of main that hold a text, in whatever case of its letters.',
  scope: 'read',
  in: z.object({
    repositoryId: RepositoryId,
    query: z.string().min(1).max(1000).describe('The text, on one line.'),
    scope: Scope,
    maxResults: z.number().int().min(1).max(1000).default(20).describe('Most lines to give.'),
  }),
  out: z.object({
    query: z.string().describe('The text.'),
    matches: z
      .array(
        z.object({
          path: z.string().describe('Path of the file.'),
          lineNumber: z.number().describe('Number of the line, from 1.'),
          snippet: z.string().describe('The line.'),
        }),
      )
      .describe('Lines that hold it.'),
    count: z.number().describe('How many are given.'),
  }),
  tool: 'repository_blob_search',
  dispatch: true,
  refuses: ['reject.path_outside_repository', ...BRANCH_REFUSALS],
  annotations: READS,
}).run(async (context, { repositoryId, query, scope, maxResults }) => {
  const { store, head } = await mainOf(context, repositoryId);
  const matches = await store.search(head, query, scope, maxResults);
  return { query, matches, count: matches.length };
});

async function mainOf(context: Context, repositoryId: string) {
  const branch = await storedBranch(context, MAIN, repositoryId);
  return { store: branch.store, head: await headOf(context, branch) };
}

/** Branch for files that belong to no work unit. */
async function branchForFiles(context: Context, repositoryId: string): Promise<string> {
  const branchId = `files/${repositoryId}`;
  if (context.records.branches.get(branchId)) return branchId;
  const { head: seedSnapshotId } = await mainOf(context, repositoryId);
  await context.change((change) => {
    if (change.state(branch, branchId)) return;
    change.run(branch, branchId, 'create', { branchId, repositoryId, parentId: MAIN, seedSnapshotId });
  });
  return branchId;
}

function isFolder(mode: string): boolean {
  return mode === '040000' || mode === '160000';
}
