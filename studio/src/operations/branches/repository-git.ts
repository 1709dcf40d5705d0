/** Git repositories beside the registered ones: made, cloned, imported from, exported to. */
import { z } from 'zod';
import { requireGitBranchName } from '../../record/aggregates/branch-name.js';
import { repositoryIdOf } from '../../record/aggregates/repository/identity.js';
import { repository } from '../../record/aggregates/repository/repository.js';
import { cloneRepository } from '../../rules/branches/clone.js';
import { MAIN, folderOf, headOf, storedBranch } from '../../rules/branches/stored-branch.js';
import { registerFolder } from '../../rules/branches/register.js';
import { refusal } from '../../reasons.js';
import { importRef } from '../../workspace/git/objects/ref-names.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { BRANCH_REFUSALS, USER_REFUSALS } from './branch-shape.js';
import { REACHING_REFUSALS } from './remote-shape.js';
import { Identity, RepositoryId, RepositoryPlace } from './repository-shape.js';

const Folder = z.string().min(1).max(4096);
const Label = z.string().min(1).max(200).optional().describe('Name for people.');
const BranchName = z.string().min(1).max(200).describe('Name of the branch there.');
const UNUSABLE = [
  'reject.repository_path_unusable',
  'reject.repository_registered_elsewhere',
  'reject.partial_clone',
  'reject.git_failed',
] as const;

export const create = operation({
  summary: 'Create a repository in an empty or new folder, and register it.',
  scope: 'operate',
  in: z.object({ path: Folder.describe('Absolute path of the folder.'), label: Label }),
  out: RepositoryPlace,
  tool: 'repository_create',
  dispatch: true,
  granted: true,
  refuses: UNUSABLE,
  annotations: SETS,
}).run((context, { path, label }) => registerFolder(context, path, label));

export const clone = operation({
  summary: 'Copy a repository into a new folder, and register it.',
  scope: 'operate',
  in: z.object({
    url: z.string().min(1).max(4096).describe('Absolute path, or an address with a protocol that the host allows.'),
    targetPath: Folder.describe('Absolute path of an empty folder, or of one to be made.'),
    label: Label,
    depth: z.int().min(1).optional().describe('How many commits of each branch to bring. Default: all.'),
    branch: BranchName.optional().describe(
      'The only branch to bring. Default: all, with the one that the other side has checked out.',
    ),
  }),
  out: RepositoryPlace.extend({
    leftOut: z.array(z.string()).describe('What of it is not here, for people: submodules, files of git-lfs.'),
  }),
  rest: { route: 'POST /studio/repositories/clone' },
  tool: 'repository_clone',
  dispatch: true,
  granted: true,
  refuses: [...REACHING_REFUSALS, ...UNUSABLE, 'reject.invalid_input'],
  annotations: { ...ADDS, openWorld: true },
}).run(async (context, given) => {
  if (given.branch !== undefined) requireGitBranchName(given.branch, 'branch');
  const { repositoryId, path, label, leftOut } = await cloneRepository(context, given);
  return { repositoryId, path, ...(label === undefined ? {} : { label }), leftOut: [...leftOut] };
});

export const unregistered = operation({
  summary: 'Say which of some folders are not registered.',
  scope: 'read',
  in: z.object({ paths: z.array(Folder).max(1000).default([]).describe('Absolute paths of folders.') }),
  out: z.object({ unregistered: z.array(z.string()).describe('Those that are not registered.') }),
  rest: { route: 'GET /studio/repositories/unregistered', query: ['paths'] },
  refuses: [],
  annotations: READS,
}).run(({ records }, { paths }) => ({
  unregistered: paths.filter((path) => records.repositories.atPath(path.replace(/(?<=.)\/+$/, '')) === undefined),
}));

export const identity = operation({
  summary: 'Say which repository of the workgroup a registered one is.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId }),
  out: Identity,
  rest: { route: 'GET /studio/repositories/{repositoryId}/identity' },
  refuses: ['reject.repository_not_found', 'reject.git_failed'],
  annotations: READS,
}).run((context, { repositoryId }) => identityOf(context, repositoryId));

export const resolveIdentity = operation({
  summary: 'Decide which repository of the workgroup a registered one is, where its history does not say so.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    chosenRepoId: z
      .string()
      .max(200)
      .nullable()
      .optional()
      .describe('One of those that were offered; null or "register-new" for none of them.'),
  }),
  out: z.object({
    repositoryId: z.string().describe('Id of the registered repository.'),
    workgroupRepoId: z.string().describe('Id that the workgroup knows it by.'),
  }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/identity/resolve' },
  human: true,
  refuses: ['reject.repository_not_found', 'reject.invalid_input', 'reject.git_failed'],
  annotations: SETS,
}).run(async (context, { repositoryId, chosenRepoId = null }) => {
  const { workgroupRepoId: now, pendingDisambiguation: pending } = await identityOf(context, repositoryId);
  if (pending === null) return { repositoryId, workgroupRepoId: now ?? repositoryId };
  const workgroupRepoId = chosenRepoId === null || chosenRepoId === 'register-new' ? repositoryId : chosenRepoId;
  if (workgroupRepoId !== repositoryId && !pending.candidates.some(({ repoId }) => repoId === workgroupRepoId))
    throw refusal('reject.invalid_input', `chosenRepoId: ${workgroupRepoId} was not offered`);
  return context.answer((change) => {
    change.run(repository, repositoryId, 'resolve', { workgroupRepoId });
    return { repositoryId, workgroupRepoId };
  });
});

export const gitImport = operation({
  summary: 'Take over a commit of another repository of this machine.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    gitRepoPath: Folder.describe('Absolute path of the repository to take it from.'),
    commitSha: z.string().min(1).max(200).default('HEAD').describe('The commit. Default: what is checked out.'),
  }),
  out: z.object({
    repositoryId: z.string().describe('Repository that has it now.'),
    snapshotId: z.string().describe('Id to name it by, which is that of the commit.'),
    gitRepoPath: z.string().describe('Where it came from.'),
    commitSha: z.string().describe('Id of the commit.'),
  }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/git/import' },
  tool: 'repository_git_import',
  refuses: ['reject.commit_not_found', 'reject.repository_path_unusable', ...BRANCH_REFUSALS],
  annotations: SETS,
}).run(async (context, { repositoryId, gitRepoPath, commitSha: name }) => {
  const { store } = await storedBranch(context, MAIN, repositoryId);
  const { folder, commit } = await commitIn(context, gitRepoPath, name);
  await store.receive(folder, [`${commit}:${importRef(commit)}`]);
  return { repositoryId, snapshotId: commit, gitRepoPath: folder, commitSha: commit };
});

export const gitExport = operation({
  summary: 'Write a commit to a branch of another repository of this machine. It moves forward only.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    targetGitRepoPath: Folder.describe('Absolute path of the repository to write it to.'),
    branchName: BranchName,
    snapshotId: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .optional()
      .describe('The commit. Default: that of main.'),
  }),
  out: z.object({
    repositoryId: z.string().describe('Repository that it is of.'),
    snapshotId: z.string().describe('The commit.'),
    targetPath: z.string().describe('Where it was written to.'),
    branchName: z.string().describe('Branch that has it now.'),
    committed: z.boolean().describe('Whether the branch has moved.'),
    commitSha: z.string().describe('Commit that the branch is at.'),
    pushed: z.literal(false).describe('Always false: nothing leaves this machine.'),
    pushOutput: z.string().describe('Always empty.'),
    message: z.string().describe('What happened, for people.'),
  }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/git/export' },
  tool: 'repository_git_export',
  human: true,
  refuses: [
    'reject.commit_not_found',
    'reject.branch_moved',
    'reject.invalid_input',
    ...USER_REFUSALS,
    ...UNUSABLE,
    ...BRANCH_REFUSALS,
  ],
  annotations: SETS,
}).run(async (context, { repositoryId, targetGitRepoPath, branchName, snapshotId }) => {
  requireGitBranchName(branchName, 'branchName');
  const branch = await storedBranch(context, MAIN, repositoryId);
  const to = snapshotId ?? (await headOf(context, branch));
  if (!(await branch.store.has(to))) throw refusal('reject.commit_not_found', `the store has no commit ${to}`);
  const { user } = context.disk;
  const targetPath = await gitFolder(context, targetGitRepoPath);
  const from = await user.commitOf(targetPath, `refs/heads/${branchName}`);
  const source = branch.store.folder;
  const isForward = from === undefined || ((await branch.store.has(from)) && (await branch.store.isAncestor(from, to)));
  if (!isForward || !(await user.advance(targetPath, { branch: branchName, from, to, source })))
    throw refusal('reject.branch_moved', `${branchName} has commits that ${to} does not have`, {
      branchName,
      at: from,
    });
  const committed = from !== to;
  const message = committed ? `${branchName} is at ${to}` : `${branchName} was there already`;
  const pushed = { pushed: false as const, pushOutput: '' };
  return { repositoryId, snapshotId: to, targetPath, branchName, committed, commitSha: to, ...pushed, message };
});

export const gitBranch = operation({
  summary: 'Create a branch in a repository of this machine.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId.optional(),
    gitRepoPath: Folder.describe('Absolute path of the repository.'),
    branchName: BranchName,
    fromRef: z.string().min(1).max(400).default('HEAD').describe('What it begins with. Default: what is checked out.'),
    checkout: z.boolean().default(false).describe('Whether to check it out, if nothing is in the way.'),
  }),
  out: z.object({
    repositoryId: z.string().optional().describe('Repository that was named.'),
    gitRepoPath: z.string().describe('Where it was made.'),
    branchName: z.string().describe('Its name.'),
    fromRef: z.string().describe('What it began with.'),
    checkout: z.boolean().describe('Whether it is checked out.'),
    commitSha: z.string().describe('Commit that it is at.'),
  }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/git/branch' },
  tool: 'repository_git_branch_create',
  human: true,
  refuses: [
    ...['reject.repository_not_found', 'reject.commit_not_found', 'reject.branch_exists', 'reject.invalid_input'],
    ...USER_REFUSALS,
    ...UNUSABLE,
  ] as const,
  annotations: ADDS,
}).run(async (context, { repositoryId, gitRepoPath, branchName, fromRef, checkout }) => {
  requireGitBranchName(branchName, 'branchName');
  if (repositoryId !== undefined && !context.records.repositories.get(repositoryId))
    throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`);
  const { folder, commit } = await commitIn(context, gitRepoPath, fromRef);
  await context.disk.user.create(folder, branchName, commit, checkout);
  const named = repositoryId === undefined ? {} : { repositoryId };
  return { ...named, gitRepoPath: folder, branchName, fromRef, checkout, commitSha: commit };
});

/** Identity of a repository; one that began without a history may turn out to be a clone of a known one. */
async function identityOf(context: Context, repositoryId: string): Promise<z.input<typeof Identity>> {
  const { records, git } = context;
  const found = records.repositories.get(repositoryId);
  if (!found)
    throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`, { repositoryId });
  const decided = found.workgroupRepoId ?? (found.rootCommits.length > 0 ? repositoryId : undefined);
  if (decided !== undefined) return { repositoryId, workgroupRepoId: decided, pendingDisambiguation: null };
  const folder = await folderOf(context, repositoryId);
  const rootShas = await git.rootCommits(folder);
  const repoId = repositoryIdOf(rootShas);
  if (repoId === undefined) return { repositoryId, workgroupRepoId: repositoryId, pendingDisambiguation: null };
  const label = records.repositories.get(repoId)?.label;
  const hints = { rootShas, remotes: await git.remotes(folder) };
  const candidate = { repoId, ...(label === undefined ? {} : { label }), hints };
  return { repositoryId, workgroupRepoId: null, pendingDisambiguation: { candidates: [candidate] } };
}

async function gitFolder({ git, disk }: Context, path: string): Promise<string> {
  await disk.roots.require(path);
  const folder = await disk.user.realFolder(path);
  if (folder === undefined || (await git.inspect(folder)).kind !== 'worktree')
    throw refusal('reject.repository_path_unusable', `${path} is not the folder of a git repository`, { path });
  return folder;
}

async function commitIn(context: Context, path: string, name: string): Promise<{ folder: string; commit: string }> {
  const folder = await gitFolder(context, path);
  const commit = await context.disk.user.commitOf(folder, name);
  if (commit !== undefined) return { folder, commit };
  throw refusal('reject.commit_not_found', `${folder} has no commit ${name}`, { path: folder });
}
