/** Files of workspaces: as they are now, saved or not. */
import { Rejection } from '@weft/core';
import { z } from 'zod';
import {
  MOST_WRITTEN_BYTES,
  branchFiles,
  editFile,
  folderFor,
  noteSeen,
  readBranchFile,
  requireSeen,
  requireText,
} from '../../rules/branches/files.js';
import { emptyCommit, headOf, storedBranch } from '../../rules/branches/stored-branch.js';
import { onBranch } from '../../rules/branches/save.js';
import { recordSearch } from '../../rules/queue/usage.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import { digestOf, textOf } from '../../workspace/files/file-in-folder.js';
import { compileGlob } from '../../workspace/files/glob.js';
import { MAX_LISTED_FILES } from '../../workspace/files/list-files.js';
import { oneHunk } from '../../workspace/files/one-hunk.js';
import { safePath } from '../../workspace/files/safe-path.js';
import { statusOf } from '../../workspace/git/spaces/spaces.js';
import { isBelow, snippetsOf } from '../../workspace/files/text-search.js';
import { windowOf } from '../../workspace/files/text-window.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ENDS, READS, SETS } from '../kernel/hints.js';
import { BranchId, FOLDER_REFUSALS } from '../branches/branch-shape.js';
import {
  type Found,
  OPENING_REFUSALS,
  OWN_REFUSALS,
  TARGET,
  TARGET_REFUSALS,
  ownTargetOf,
  recordLook,
  searcherOf,
  targetOf,
} from './workspace-target.js';

const Path = z.string().min(1).max(4096).describe('Path of the file, relative to the root.');
const branchId = z.string().describe('Branch that it is of.');
const READING = ['reject.path_outside_repository', 'reject.not_a_file', 'reject.file_too_large'] as const;
const CHANGING = [
  'reject.file_held',
  ...['reject.outside_file_scope', 'reject.not_text', 'reject.wrong_state'],
  ...READING,
  ...OWN_REFUSALS,
] as const;
const MOST_DIFF = 1 << 20;
const DEFAULT_LINES = 2000;

/** Output fields of a change that waits for another unit's lease on the file. */
const WAITING = {
  awaitingFileLease: z.string().optional().describe('The file, when another unit of the goal has it: wait.'),
  heldBy: z.string().optional().describe('The unit that has it.'),
  message: z.string().optional().describe('What to do then.'),
};

export const read = operation({
  summary:
    'Read a text file of a workspace, or lines of it. Who has read it whole may write over it. To find a symbol, use ' +
    'workspace_symbol_definition; to find a text, workspace_search.',
  scope: 'read',
  in: z.object({
    ...TARGET,
    path: Path,
    offset: z.number().int().min(1).max(10_000_000).default(1).describe('First line, from 1.'),
    limit: z.number().int().min(1).max(100_000).default(DEFAULT_LINES).describe('Lines to read.'),
  }),
  out: z.object({
    branchId,
    path: z.string().describe('Path of the file.'),
    content: z.string().nullable().describe('The text, or null when there is no such file, or it is no text.'),
    exists: z.boolean().describe('Whether there is such a file.'),
    totalLines: z.number().describe('Lines of the whole file.'),
    truncated: z.boolean().describe('Whether there is more of it, before or after.'),
  }),
  rest: {
    route: 'GET /studio/workspace/read',
    query: ['branchId', 'workUnitId', 'repositoryId', 'path', 'offset', 'limit'],
  },
  tool: 'workspace_read',
  dispatch: true,
  refuses: [...READING, ...TARGET_REFUSALS],
  annotations: READS,
}).run(async (context, { path, offset, limit, ...target }) => {
  const { branch } = await targetOf(context, target);
  const bytes = await readBranchFile(context, branch, path);
  const text = bytes && textOf(bytes);
  const shown = { branchId: branch.branchId, path: safePath(path), exists: bytes !== undefined };
  if (bytes === undefined || text === undefined)
    return { ...shown, content: null, totalLines: 0, truncated: bytes !== undefined };
  const part = windowOf(text, offset, limit);
  await recordLook(context, [shown.path], (change) => {
    if (!part.truncated) noteSeen(change, context.caller.name, branch, shown.path, digestOf(bytes));
  });
  return { ...shown, ...part };
});

export const readMany = operation({
  summary: 'Read up to 50 text files of a workspace at once. Those too long to be read whole are not found here.',
  scope: 'read',
  in: z.object({ ...TARGET, paths: z.array(Path).min(1).max(50).describe('Paths of the files.') }),
  out: z.object({
    files: z
      .array(
        z.object({
          path: z.string().describe('Path that was given.'),
          content: z.string().nullable().describe('The text, or null.'),
          found: z.boolean().describe('Whether there is such a text file, and it was read.'),
          error: z.string().optional().describe('Why it was not read though it may be there.'),
        }),
      )
      .describe('The files, in the order in which they were asked for.'),
    branchId,
  }),
  tool: 'workspace_read_many',
  dispatch: true,
  refuses: TARGET_REFUSALS,
  annotations: READS,
}).run(async (context, { paths, ...target }) => {
  const { branch } = await targetOf(context, target);
  const seen: { readonly path: string; readonly digest: string }[] = [];
  const files: { path: string; content: string | null; found: boolean; error?: string }[] = [];
  for (const path of paths) {
    try {
      const bytes = await readBranchFile(context, branch, path);
      const part = bytes && windowOf(requireText(path, bytes), 1, Number.MAX_SAFE_INTEGER);
      if (part?.truncated) throw refusal('reject.file_too_large', `${path} is too long; read it in parts`, { path });
      files.push({ path, content: part?.content ?? null, found: part !== undefined });
      if (bytes) seen.push({ path: safePath(path), digest: digestOf(bytes) });
    } catch (error) {
      files.push({ path, content: null, found: false, error: refusedBecause(error) });
    }
  }
  const names = seen.map(({ path }) => path);
  await recordLook(context, names, (change) => {
    for (const { path, digest } of seen) noteSeen(change, context.caller.name, branch, path, digest);
  });
  return { files, branchId: branch.branchId };
});

export const write = operation({
  summary: 'Write a text file of a workspace, whole. One that is there must have been read whole before, as it is now.',
  scope: 'operate',
  in: z.object({
    ...TARGET,
    path: Path,
    content: z.string().max(MOST_WRITTEN_BYTES).describe('All that is to be in it.'),
  }),
  out: z.object({
    written: z.boolean().describe('Whether it was written.'),
    path: z.string().describe('Path of the file.'),
    branchId,
    ...WAITING,
  }),
  tool: 'workspace_write',
  dispatch: true,
  refuses: ['reject.not_read', ...CHANGING],
  annotations: SETS,
}).run(async (context, { path, content, ...target }) => {
  const found = await ownTargetOf(context, target);
  const { branch } = found;
  const edited = await edit(context, found, path, (before) => {
    // Rewriting the same content loses nothing, whether or not the writer had read it.
    if (before && digestOf(before) !== digestOf(content))
      requireSeen(context, context.caller.name, branch, safePath(path), before);
    return content;
  });
  const about = { path: safePath(path), branchId: branch.branchId };
  if ('heldBy' in edited) return { written: false, ...about, ...waiting(about.path, edited.heldBy) };
  return context.answer((change) => noted(change, edited.note, { written: true, ...about }));
});

export const remove = operation({
  summary: 'Delete a file of a workspace.',
  scope: 'operate',
  in: z.object({ ...TARGET, path: Path }),
  out: z.object({
    deleted: z.boolean().describe('Whether it was deleted.'),
    path: z.string().describe('Path of the file.'),
    ...WAITING,
  }),
  tool: 'workspace_delete',
  dispatch: true,
  refuses: ['reject.file_not_found', ...CHANGING],
  annotations: ENDS,
}).run(async (context, { path, ...target }) => {
  const found = await ownTargetOf(context, target);
  const edited = await edit(context, found, path, (before) => {
    if (before === undefined) throw refusal('reject.file_not_found', `there is no file ${path}`, { path });
    return null;
  });
  const name = safePath(path);
  if ('heldBy' in edited) return { deleted: false, path: name, ...waiting(name, edited.heldBy) };
  return context.answer((change) => noted(change, edited.note, { deleted: true, path: name }));
});

export const replace = operation({
  summary: 'Replace a text in a file of a workspace, all places of it at once. Their number must be the expected one.',
  scope: 'operate',
  in: z.object({
    ...TARGET,
    path: Path,
    oldText: z.string().min(1).max(MOST_WRITTEN_BYTES).describe('What is there now, exactly.'),
    newText: z.string().max(MOST_WRITTEN_BYTES).describe('What is to be there.'),
    expectedMatches: z.number().int().min(1).max(100_000).default(1).describe('How often it must be there.'),
  }),
  out: z.object({
    replaced: z.boolean().describe('Whether it was replaced.'),
    path: z.string().describe('Path of the file.'),
    branchId,
    matches: z.number().describe('Places that were changed.'),
    oldLength: z.number().describe('Characters before.'),
    newLength: z.number().describe('Characters now.'),
    diff: z.string().describe('What has changed, as a patch.'),
    ...WAITING,
  }),
  tool: 'workspace_replace',
  dispatch: true,
  refuses: ['reject.file_not_found', 'reject.text_not_found', ...CHANGING],
  annotations: ENDS,
}).run(async (context, { path, oldText, newText, expectedMatches, ...target }) => {
  const found = await ownTargetOf(context, target);
  let [old, now] = ['', ''];
  const edited = await edit(context, found, path, (before) => {
    if (before === undefined) throw refusal('reject.file_not_found', `there is no file ${path}`, { path });
    old = requireText(path, before);
    const parts = old.split(oldText);
    const matches = parts.length - 1;
    if (matches !== expectedMatches)
      throw refusal('reject.text_not_found', `${path} holds the text ${matches} times, not ${expectedMatches}`, {
        path,
        matches,
        expectedMatches,
      });
    now = parts.join(newText);
    return now;
  });
  const about = { path: safePath(path), branchId: found.branch.branchId, oldLength: old.length, newLength: now.length };
  if ('heldBy' in edited)
    return { replaced: false, ...about, matches: 0, diff: '', ...waiting(about.path, edited.heldBy) };
  const answer = { replaced: true, ...about, matches: expectedMatches, diff: oneHunk(about.path, old, now) };
  return context.answer((change) => noted(change, edited.note, answer));
});

export const listFiles = operation({
  summary: 'List the files of a workspace, sorted. What git ignores is left out.',
  scope: 'read',
  in: z.object({
    ...TARGET,
    path: z.string().max(4096).default('').describe('Folder to stay below. Default: all.'),
    pattern: z.string().min(1).max(1000).optional().describe('Glob of the files, such as *.ts or src/**.'),
  }),
  out: z.object({
    files: z.array(z.string()).describe('Paths of the files.'),
    branchId,
    truncated: z.boolean().describe('Whether there are more.'),
  }),
  tool: 'workspace_list',
  dispatch: true,
  refuses: ['reject.path_outside_repository', ...TARGET_REFUSALS],
  annotations: READS,
}).run(async (context, { path, pattern, ...target }) => {
  const { branch } = await targetOf(context, target);
  const [scope, matches] = [scopeOf(path), globOf(pattern)];
  const files = (await branchFiles(context, branch)).filter((one) => isBelow(one, scope) && matches(one));
  const truncated = files.length > MAX_LISTED_FILES;
  return { files: files.slice(0, MAX_LISTED_FILES), branchId: branch.branchId, truncated };
});

export const search = operation({
  summary:
    'Search the contents of the files of a workspace for a text or a pattern. For where a symbol is defined, used or ' +
    'implemented, use the workspace_symbol tools: they know the language, this knows only text.',
  scope: 'read',
  in: z.object({
    ...TARGET,
    query: z.string().min(1).max(10_000).describe('What to search for.'),
    path: z.string().max(4096).default('').describe('Folder or file to stay below. Default: all.'),
    filePattern: z.string().min(1).max(1000).optional().describe('Glob of the files. Default: all.'),
    regex: z.boolean().default(false).describe('Whether it is a pattern, as ripgrep reads it.'),
    caseSensitive: z.boolean().default(false).describe('Whether the case of letters counts.'),
    contextLines: z.number().int().min(0).max(20).default(3).describe('Lines to show around each place.'),
    maxResults: z.number().int().min(1).max(1000).default(200).describe('Places to show.'),
  }),
  out: z.object({
    matches: z
      .array(
        z.object({
          path: z.string().describe('Path of the file.'),
          line: z.number().describe('Line of the place, from 1.'),
          startLine: z.number().describe('First line shown.'),
          endLine: z.number().describe('Last line shown.'),
          snippet: z.string().describe('The lines.'),
        }),
      )
      .describe('Places, by path and line.'),
    truncated: z.boolean().describe('Whether there are more.'),
    branchId,
  }),
  tool: 'workspace_search',
  dispatch: true,
  refuses: [
    ...['reject.path_outside_repository', 'reject.search_program_missing', 'reject.search_too_long'],
    ...OPENING_REFUSALS,
  ] as const,
  annotations: READS,
}).run(async (context, { query, path, filePattern, regex, caseSensitive, contextLines, maxResults, ...target }) => {
  const { branch } = await targetOf(context, target);
  const space = await folderFor(context, branch);
  const files = await context.disk.spaces.files(branch.store, space);
  const { found, truncated } = await context.programs.search.find(space.folder, files, {
    text: query,
    isRegex: regex,
    caseSensitive,
    scope: scopeOf(path),
    matches: globOf(filePattern),
    most: maxResults,
  });
  const workUnitId = searcherOf(context);
  if (workUnitId !== undefined) {
    const matchedPaths = [...new Set(found.map((one) => one.path))];
    const done = { workUnitId, query, matchedPaths, matchCount: found.length, truncated };
    await context.change((change) => recordSearch(change, done));
  }
  return { matches: await snippetsOf(space.folder, found, contextLines), truncated, branchId: branch.branchId };
});

export const diff = operation({
  summary: 'Show what a workspace has changed since it parted from another branch, as a patch.',
  scope: 'read',
  in: z.object({
    ...TARGET,
    sourceBranchId: BranchId.optional().describe('Another name for branchId.'),
    targetBranchId: BranchId.describe('Branch to compare with.'),
  }),
  out: z.object({
    diff: z.string().describe('The patch; empty when nothing has changed.'),
    sourceBranchId: z.string().describe('Branch of the workspace.'),
    truncated: z.boolean().describe('Whether there is more than is shown.'),
  }),
  tool: 'workspace_diff',
  dispatch: true,
  refuses: [...TARGET_REFUSALS, ...FOLDER_REFUSALS],
  annotations: READS,
}).run(async (context, { sourceBranchId, targetBranchId, ...target }) => {
  const { branch } = await targetOf(context, { ...target, branchId: target.branchId ?? sourceBranchId });
  const { store } = branch;
  const other = await storedBranch(context, targetBranchId, branch.repositoryId);
  const [head, otherHead] = [await headOf(context, branch), await headOf(context, other)];
  const base = (await store.mergeBase(head, otherHead)) ?? (await emptyCommit(store));
  const now = await onBranch(context, branch, async () => {
    const space = await context.disk.spaces.find(branch);
    return space ? (await statusOf(context.disk.spaces, store, space)).tree : head;
  });
  const { text: diff, isWhole } = await store.patch(base, now, MOST_DIFF);
  return { diff, sourceBranchId: branch.branchId, truncated: !isWhole };
});

export const exists = operation({
  summary: 'Say whether a workspace has a file or a folder.',
  scope: 'read',
  in: z.object({ ...TARGET, path: Path }),
  out: z.object({ exists: z.boolean().describe('Whether it is there.') }),
  tool: 'workspace_exists',
  dispatch: true,
  refuses: ['reject.path_outside_repository', ...TARGET_REFUSALS],
  annotations: READS,
}).run(async (context, { path, ...target }) => {
  const { branch } = await targetOf(context, target);
  const wanted = safePath(path);
  return { exists: (await branchFiles(context, branch)).some((one) => isBelow(one, wanted)) };
});

export const path = operation({
  summary: 'Say which folder a branch has on this machine, if it has one.',
  scope: 'read',
  in: z.object({ branchId: BranchId, repositoryId: TARGET.repositoryId }),
  out: z.object({
    branchId,
    workingDirectory: z.string().nullable().describe('The folder, or null when there is none.'),
    exists: z.boolean().describe('Whether there is one.'),
  }),
  rest: { route: 'GET /studio/workspace/path', query: ['branchId', 'repositoryId'] },
  tool: 'workspace_path',
  dispatch: true,
  refuses: TARGET_REFUSALS,
  annotations: READS,
}).run(async (context, target) => {
  const { branch } = await targetOf(context, target);
  const space = await context.disk.spaces.find(branch);
  return { branchId: branch.branchId, workingDirectory: space?.folder ?? null, exists: space !== undefined };
});

function edit(
  context: Context,
  { branch, unit }: Found,
  path: string,
  to: (before: Buffer | undefined) => string | null,
): ReturnType<typeof editFile> {
  const { caller, repeatable } = context;
  return editFile(context, { branch, path, who: caller.name, unit, to, call: repeatable?.call });
}

function noted<Answer>(change: Change, note: (change: Change) => void, answer: Answer): Answer {
  note(change);
  return answer;
}

function waiting(path: string, heldBy: string) {
  const message = `${heldBy} is changing ${path}. Stop here; you go on when it is free.`;
  return { awaitingFileLease: path, heldBy, message };
}

function scopeOf(path: string): string {
  return path === '' || path === '.' || path === './' ? '' : safePath(path);
}

function globOf(pattern: string | undefined): (path: string) => boolean {
  return pattern === undefined ? () => true : compileGlob(pattern);
}

function refusedBecause(error: unknown): string {
  if (error instanceof Rejection) return error.message;
  throw error;
}
