/** Registers the git repository of a folder, which is made where there is none. */
import { repositoryIdOf } from '../aggregates/repository/identity.js';
import { repository } from '../aggregates/repository/repository.js';
import type { RegisteredRepository } from '../aggregates/repository/state.js';
import { ensureFolder, ensureRepository } from '../workspace/adopt-folder.js';
import type { Context } from './context.js';

export interface Place {
  readonly path: string;
  readonly label?: string | undefined;
}

/** `store` is `context.answer` where this is all that the operation does. */
export async function registerRepository(
  context: Context,
  { path, label }: Place,
  store: Context['change'],
): Promise<RegisteredRepository> {
  const folder = await ensureFolder(path);
  return context.lane.inOrder(folder, async () => {
    await ensureRepository(context.git, folder);
    const held = context.records.repositories.atPath(folder);
    if (held !== undefined && (await context.git.holds(folder, held.rootCommits))) return held;
    const rootCommits = await context.git.rootCommits(folder);
    const repositoryId = repositoryIdOf(rootCommits) ?? context.newId('repo-');
    const abandonedPath = await abandonedPathOf(context, repositoryId);
    const wanted = { repositoryId, path: folder, label, rootCommits, abandonedPath };
    return store((change) => change.run(repository, repositoryId, 'register', wanted));
  });
}

/** The registered path of a repository when it no longer holds that repository. */
async function abandonedPathOf(context: Context, repositoryId: string): Promise<string | undefined> {
  const earlier = context.records.repositories.get(repositoryId);
  if (earlier === undefined) return undefined;
  return (await context.git.holds(earlier.path, earlier.rootCommits)) ? undefined : earlier.path;
}
