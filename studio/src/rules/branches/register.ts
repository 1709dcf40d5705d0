/** Registration of a folder as a repository: the same history is the same repository, wherever it was cloned. */
import { type RegisterRepository, decide } from '../../record/aggregates/repository/decide.js';
import { repositoryIdOf } from '../../record/aggregates/repository/identity.js';
import { repository } from '../../record/aggregates/repository/repository.js';
import type { RegisteredRepository } from '../../record/aggregates/repository/state.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import { ensureFolder, ensureRepository } from '../../workspace/git/spaces/adopt-folder.js';
import { type FolderPlan, planFolder } from '../../workspace/git/user/folder-plan.js';
import type { BranchContext } from './branch-context.js';

export interface AnsweringContext extends BranchContext {
  answer<T>(work: (change: Change) => T): Promise<T>;
}

export async function registerFolder(
  context: AnsweringContext,
  path: string,
  label?: string,
): Promise<RegisteredRepository> {
  await context.disk.roots.require(path);
  const { folder, undo } = await ensureFolder(path);
  return context.lane.inOrder(folder, () => orUndone(context, folder, undo, () => register(context, folder, label)));
}

/** Runs work on a folder; when that is refused, nothing is left of it, unless the folder was registered by another call. */
export async function orUndone<T>(
  { records }: Pick<BranchContext, 'records'>,
  folder: string,
  undo: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (records.repositories.atPath(folder) === undefined) await undo();
    throw error;
  }
}

/** Registers a folder whose mutex is held. */
export async function register(
  context: AnsweringContext,
  folder: string,
  label: string | undefined,
): Promise<RegisteredRepository> {
  await ensureRepository(context.git, folder, context.disk.keptStore(folder));
  const held = await heldAt(context, folder);
  if (held) return held;
  const wanted = { ...(await wantedAt(context, folder)), label };
  const { repositoryId } = wanted;
  return context.answer((change) => {
    const turn = context.records.repositories.turnOf(repositoryId, folder);
    return change.run(repository, repositoryId, 'register', { ...wanted, turn });
  });
}

/**
 * Plan of a registration: what would be done, without doing it. What would be refused is refused here in the same words, so that
 * nobody is asked for leave in vain.
 */
export async function planRegistration(context: BranchContext, path: string): Promise<FolderPlan> {
  await context.disk.roots.require(path);
  const plan = await planFolder(context.git, path, (folder) => context.disk.keptStore(folder));
  if (plan.kind !== 'repository' || (await heldAt(context, plan.path))) return plan;
  const wanted = await wantedAt(context, plan.path);
  const { repositories } = context.records;
  const turn = repositories.turnOf(wanted.repositoryId, plan.path);
  decide.register(repositories.get(wanted.repositoryId), { ...wanted, turn });
  return plan;
}

/** Repository that is registered at a folder and still there. */
async function heldAt({ records, git }: BranchContext, folder: string): Promise<RegisteredRepository | undefined> {
  const held = records.repositories.atPath(folder);
  return held !== undefined && (await git.holds(folder, held.rootCommits)) ? held : undefined;
}

/** What is to be registered for the repository in a folder; refuses one that lacks objects which its history names. */
async function wantedAt(context: BranchContext, folder: string): Promise<RegisterRepository> {
  if (await context.git.isPartial(folder))
    throw refusal('reject.partial_clone', `${folder} is a partial clone`, { path: folder });
  const rootCommits = await context.git.rootCommits(folder);
  const repositoryId = repositoryIdOf(rootCommits) ?? context.newId('repo-');
  return { repositoryId, path: folder, rootCommits, abandonedPath: await abandonedPathOf(context, repositoryId) };
}

/** Registered path of a repository that no longer holds it. */
async function abandonedPathOf(
  { records, git }: Pick<BranchContext, 'records' | 'git'>,
  repositoryId: string,
): Promise<string | undefined> {
  const earlier = records.repositories.get(repositoryId);
  if (earlier === undefined) return undefined;
  return (await git.holds(earlier.path, earlier.rootCommits)) ? undefined : earlier.path;
}
