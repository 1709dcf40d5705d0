/** Registers a folder as a repository: the same one for the same history, wherever it was cloned. */
import { repositoryIdOf } from '../../record/aggregates/repository/identity.js';
import { repository } from '../../record/aggregates/repository/repository.js';
import type { RegisteredRepository } from '../../record/aggregates/repository/state.js';
import type { Change } from '../../record/ledger/change.js';
import { ensureFolder, ensureRepository } from '../../workspace/git/adopt-folder.js';
import type { Ground } from './branch-context.js';

export interface Answering extends Ground {
  answer<T>(work: (change: Change) => T): Promise<T>;
}

export async function registerFolder(ground: Answering, path: string, label?: string): Promise<RegisteredRepository> {
  const folder = await ensureFolder(path);
  return ground.lane.inOrder(folder, async () => {
    await ensureRepository(ground.git, folder, ground.disk.keptStore(folder));
    const held = ground.records.repositories.atPath(folder);
    if (held !== undefined && (await ground.git.holds(folder, held.rootCommits))) return held;
    const rootCommits = await ground.git.rootCommits(folder);
    const repositoryId = repositoryIdOf(rootCommits) ?? ground.newId('repo-');
    const abandonedPath = await abandonedPathOf(ground, repositoryId);
    const wanted = { repositoryId, path: folder, label, rootCommits, abandonedPath };
    return ground.answer((change) => {
      const turn = ground.records.repositories.turnOf(repositoryId, folder);
      return change.run(repository, repositoryId, 'register', { ...wanted, turn });
    });
  });
}

/** The registered path of a repository when it no longer holds that repository. */
async function abandonedPathOf({ records, git }: Ground, repositoryId: string): Promise<string | undefined> {
  const earlier = records.repositories.get(repositoryId);
  if (earlier === undefined) return undefined;
  return (await git.holds(earlier.path, earlier.rootCommits)) ? undefined : earlier.path;
}
