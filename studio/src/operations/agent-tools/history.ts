/** Tools with which agents read the past of their branch, and what they have changed themselves. */
import { z } from 'zod';
import { emptyCommit, headOf, isUnbegun, MAIN, storedBranch } from '../../rules/branches/stored-branch.js';
import { onBranch } from '../../rules/branches/save.js';
import { refusal } from '../../reasons.js';
import { textOf } from '../../workspace/files/file-in-folder.js';
import { shortened } from '../../workspace/files/numbered-lines.js';
import { safePath } from '../../workspace/files/safe-path.js';
import { linesOf } from '../../workspace/files/text-window.js';
import type { ObjectStore, PastCommit, Patch } from '../../workspace/git/objects/object-store.js';
import { statusOf } from '../../workspace/git/spaces/spaces.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { MOST_TOLD, OWN_TOOL_REFUSALS, type OwnWork, Told, ownWork } from './own-work.js';

const Path = z.string().min(1).max(4096).optional().describe('Only this file, or what is below this folder.');
const Commit = z.string().min(1).max(100);
const reading = { scope: 'read', out: Told, dispatch: true, refuses: OWN_TOOL_REFUSALS, annotations: READS } as const;

export const gitLog = operation({
  ...reading,
  summary: 'List commits, newest first, of all or of those that changed a path.',
  in: z.object({
    path: Path,
    from: Commit.optional().describe('Commit to begin with. Default: that of the branch.'),
    skip: z.number().int().min(0).max(1_000_000).default(0).describe('Commits to leave out first.'),
    most: z.number().int().min(1).max(200).default(20).describe('Commits to show.'),
  }),
  tool: 'git_log',
}).run(async (context, { path, from, skip, most }) => {
  const own = await ownWork(context);
  const { store } = own.branch;
  const start = from === undefined ? await headOf(context, own.branch) : await commitOf(store, from);
  const about = { skip, most: most + 1, ...(path === undefined ? {} : { path: safePath(path) }) };
  const found = await store.history(start, about);
  if (found.length === 0) return { text: 'There are no such commits.' };
  const more = found.length > most ? [`[there are more: skip ${skip + most}]`] : [];
  return { text: [...found.slice(0, most).map(commitLine), ...more].join('\n') };
});

export const gitShow = operation({
  ...reading,
  summary: 'Show a commit: who made it, when and why, and what it changed.',
  in: z.object({ commit: Commit.describe('Commit, as git_log names it.'), path: Path }),
  tool: 'git_show',
}).run(async (context, { commit: named, path }) => {
  const { store } = (await ownWork(context)).branch;
  const commit = await commitOf(store, named);
  const [about] = await store.history(commit, { most: 1 });
  const parent = (await store.resolve(`${commit}^`)) ?? (await emptyCommit(store));
  const patch = await store.patch(parent, commit, MOST_PATCH, path === undefined ? undefined : safePath(path));
  const head = `${commit}\n${about?.author ?? ''}, ${about?.at ?? ''}\n\n${await store.messageOf(commit)}`;
  return { text: `${head}\n\n${patchTold(patch)}` };
});

export const gitBlame = operation({
  ...reading,
  summary: 'Say for lines of a file which commit wrote them last. What is not saved yet is not seen.',
  in: z.object({
    path: z.string().min(1).max(4096).describe('File.'),
    from: z.number().int().min(1).max(10_000_000).default(1).describe('First line.'),
    to: z.number().int().min(1).max(10_000_000).optional().describe('Last line. Default: 100 lines on.'),
  }),
  tool: 'git_blame',
}).run(async (context, { path: named, from, to = from + 99 }) => {
  const { branch } = await ownWork(context);
  const { store } = branch;
  const path = safePath(named);
  const head = await headOf(context, branch);
  const entry = await store.entry(head, path);
  const text = entry && textOf(await store.read(entry.id));
  if (text === undefined) throw refusal('reject.file_not_found', `the last commit has no text file ${path}`, { path });
  const last = Math.min(to, linesOf(text).length, from + 999);
  if (from > last) return { text: `${path} has ${linesOf(text).length} lines.` };
  const lines = await store.blame(head, path, from, last);
  return {
    text: lines
      .map(({ commit, at, author, line, text: said, subject }) => {
        return `${commit.slice(0, 10)} ${at.slice(0, 10)} ${author} (${shortened(subject, 50)}) ${line}\t${shortened(said, 300)}`;
      })
      .join('\n'),
  };
});

export const diff = operation({
  ...reading,
  summary:
    'Show what the branch has changed since it began, saved or not: all of it, or a path. Or compare it with a commit or a branch.',
  in: z.object({
    path: Path,
    against: z
      .string()
      .min(1)
      .max(400)
      .optional()
      .describe('Commit or branch to compare with. Default: where the branch began.'),
  }),
  tool: 'diff',
}).run(async (context, { path, against }) => {
  const own = await ownWork(context);
  const { branch } = own;
  const { store } = branch;
  const base = await baseOf(context, own, against);
  const now = await onBranch(context, branch, async () => {
    const space = await context.disk.spaces.find(branch);
    return space ? (await statusOf(context.disk.spaces, store, space)).tree : headOf(context, branch);
  });
  const changes = (await store.changes(base, now)).filter(
    ({ path: one }) => path === undefined || `${one}/`.startsWith(`${safePath(path)}/`),
  );
  if (changes.length === 0) return { text: 'Nothing has changed.' };
  const patch = await store.patch(base, now, MOST_PATCH, path === undefined ? undefined : safePath(path));
  const stat = changes.slice(0, MOST_NAMED).map(({ path: one, changeKind }) => `${changeKind.padEnd(8)} ${one}`);
  const left = changes.length - MOST_NAMED;
  return {
    text: [`${changes.length} files`, ...stat, ...(left > 0 ? [`[${left} more]`] : []), '', patchTold(patch)].join(
      '\n',
    ),
  };
});

const MOST_PATCH = MOST_TOLD - 4000;
const MOST_NAMED = 100;

function patchTold({ text, isWhole }: Patch): string {
  return isWhole ? text : `${text}[the rest is left out after ${text.length} characters; name a path to see its part]`;
}

/** Commit that the branch is compared with. */
async function baseOf(context: Context, { branch }: OwnWork, against: string | undefined): Promise<string> {
  const { store, branchId, repositoryId } = branch;
  const named = against ?? context.records.branches.get(branchId)?.parentId ?? MAIN;
  const commit = against === undefined ? undefined : await store.resolve(against);
  if (commit !== undefined) return commit;
  if (named !== MAIN && isUnbegun(context.records, named)) return emptyCommit(store);
  const other = await storedBranch(context, named, repositoryId);
  const [head, otherHead] = [await headOf(context, branch), await headOf(context, other)];
  return (await store.mergeBase(head, otherHead)) ?? emptyCommit(store);
}

async function commitOf(store: ObjectStore, named: string): Promise<string> {
  const found = await store.resolve(named);
  if (found === undefined)
    throw refusal('reject.invalid_input', `commit: no commit is called ${named}; git_log names them`, [
      { field: 'commit', message: `no commit is called ${named}` },
    ]);
  return found;
}

function commitLine({ commit, at, author, subject }: PastCommit): string {
  return `${commit.slice(0, 10)} ${at.slice(0, 10)} ${author}: ${shortened(subject, 200)}`;
}
