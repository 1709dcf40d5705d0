/** Disk in memory: repositories of users, stores, and workspaces, for who would rather wait for nothing. It outlives processes. */
import { refusal } from '../../reasons.js';

import type { Disk } from '../../workspace/git/disk.js';
import type { Git } from '../../workspace/git/user/git.js';
import type { ObjectStores, TreeEdit } from '../../workspace/git/objects/object-store.js';
import type { UserBranches } from '../../workspace/git/user/user-branches.js';
import { MemoryObjectStore, MemoryRepository } from './memory-object-store.js';
import { MemorySpaces } from './memory-spaces.js';

const HEAD = 'refs/heads/main';

export interface MemoryDisk extends Omit<Disk, 'remotes' | 'clones'> {
  readonly spaces: MemorySpaces;
  readonly git: Pick<Git, 'holds' | 'inspect' | 'rootCommits'>;
  /** Makes a repository of a user's with one commit; answers the commit. */
  repository(folder: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** A person commits to the branch that is checked out. */
  commit(folder: string, edits: readonly TreeEdit[], wanted: { message: string; at: string }): Promise<string>;
  /** Tip of a user's branch. */
  tip(folder: string): string | undefined;
  /** Tip, and all that came before it. */
  history(folder: string): readonly string[];
}

export function memoryDisk(): MemoryDisk {
  const repositories = new Map<string, MemoryRepository>();
  const stores = new Map<string, MemoryObjectStore>();
  const found = (folder: string): MemoryRepository => {
    const repository = repositories.get(folder);
    if (!repository) throw refusal('reject.git_failed', `there is no repository ${folder}`);
    return repository;
  };
  const storeOf = (repositoryId: string): MemoryObjectStore => {
    const folder = `/memory/git/${repositoryId}`;
    const held = repositories.get(folder) ?? new MemoryRepository();
    repositories.set(folder, held);
    const store = stores.get(repositoryId) ?? new MemoryObjectStore(repositoryId, folder, held, found);
    stores.set(repositoryId, store);
    return store;
  };
  /** A user's repository, asked as a store is. */
  const asStore = (folder: string) => new MemoryObjectStore(folder, folder, found(folder), found);
  const user: UserBranches = {
    defaultBranch: async (folder) => ({ name: 'main', commit: found(folder).refs.get(HEAD) }),
    branchesAt: async (folder, remote) => {
      const prefix = `refs/remotes/${remote}/`;
      const names = [...found(folder).refs.keys()].filter((ref) => ref.startsWith(prefix));
      return names.map((ref) => ref.slice(prefix.length)).sort();
    },
    realFolder: async (path) => (repositories.has(path) ? path : undefined),
    commitOf: async (folder, name) => found(folder).refs.get(name) ?? asStore(folder).resolve(name),
    create: async (folder, branch, commit) => {
      if (await asStore(folder).move(`refs/heads/${branch}`, undefined, commit)) return;
      throw refusal('reject.branch_exists', `branch ${branch} is there already in ${folder}`, { branchName: branch });
    },
    advance: async (folder, { branch, from, to, source }) => {
      const ref = `refs/heads/${branch}`;
      const { refs, objects } = found(folder);
      const now = refs.get(ref);
      if (now === to) return true;
      if (now !== from) return false;
      objects.take(found(source).objects);
      if (from !== undefined && !objects.before(to).includes(from)) return false;
      refs.set(ref, to);
      return true;
    },
  };
  const commit: MemoryDisk['commit'] = async (folder, edits, wanted) => {
    const store = asStore(folder);
    const head = await store.at(HEAD);
    const tree = await store.edit(head ?? (await store.emptyTree()), edits);
    const made = await store.commit({ tree, parents: head === undefined ? [] : [head], ...wanted });
    await store.move(HEAD, head, made);
    return made;
  };
  return {
    folder: '/memory',
    stores: { of: async (repositoryId) => storeOf(repositoryId) } satisfies ObjectStores,
    spaces: new MemorySpaces(storeOf),
    user,
    roots: { require: () => Promise.resolve() },
    keptStore: (folder) => `/memory/kept${folder}`,
    git: {
      holds: async (folder, commits) =>
        repositories.has(folder) && commits.every((id) => found(folder).objects.commits.has(id)),
      inspect: async (folder) => ({ kind: repositories.has(folder) ? 'worktree' : 'plain' }),
      rootCommits: async (folder) => {
        const { refs, objects } = found(folder);
        const head = refs.get(HEAD);
        return head === undefined ? [] : objects.before(head).filter((id) => objects.commitOf(id).parents.length === 0);
      },
    },
    repository: async (folder, files) => {
      repositories.set(folder, new MemoryRepository());
      const edits = Object.entries(files).map(([path, content]) => ({ path, content }));
      return commit(folder, edits, { message: 'first', at: '2024-01-01T00:00:00Z' });
    },
    commit,
    tip: (folder) => found(folder).refs.get(HEAD),
    history: (folder) => {
      const { refs, objects } = found(folder);
      const head = refs.get(HEAD);
      return head === undefined ? [] : objects.before(head);
    },
  };
}
