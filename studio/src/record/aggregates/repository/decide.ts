/**
 * Decisions of a repository.
 *
 * A repository is its history, not its folder, so two clones share one id, and that id has one folder at a time: branches,
 * candidates and promotion must mean one folder. Registering the same path again changes nothing. A second path is refused
 * while the first still holds the repository, and replaces it when the first no longer does (the folder was moved, removed, or
 * now holds something else). The first label stays. A path that another repository was registered at since is claimed with a
 * higher number.
 */
import { refusal } from '../../../reasons.js';
import type { RepositoryEvent } from './events.js';
import type { RegisteredRepository } from './state.js';

export interface RegisterRepository {
  readonly repositoryId: string;
  readonly path: string;
  readonly label?: string | undefined;
  readonly rootCommits: readonly string[];
  /** Path that was checked for this and does not hold the repository any more. */
  readonly abandonedPath?: string | undefined;
  /** How often the path has changed hands, this time included. Default: nobody held it. */
  readonly turn?: number;
}

export const decide = {
  register(state: RegisteredRepository | undefined, wanted: RegisterRepository): readonly RepositoryEvent[] {
    const { repositoryId, path, label, rootCommits, abandonedPath, turn = 0 } = wanted;
    const named = label === undefined ? {} : { label };
    const at = turn === 0 ? ({ v: 1, path } as const) : ({ v: 2, path, turn } as const);
    if (!state) return [{ type: 'RepositoryRegistered', ...at, repositoryId, ...named, rootCommits: [...rootCommits] }];
    if (state.path === path && turn <= state.turn) return [];
    // The checked path is named: if another change moved the repository since, the check proves nothing.
    if (state.path === path || state.path === abandonedPath) return [{ type: 'RepositoryMoved', ...at, repositoryId }];
    throw refusal(
      'reject.repository_registered_elsewhere',
      `${path} is a clone of ${state.repositoryId}, which is registered at ${state.path}`,
      { repositoryId: state.repositoryId, path: state.path },
    );
  },

  resolve(
    state: RegisteredRepository | undefined,
    { workgroupRepoId }: { readonly workgroupRepoId: string },
  ): readonly RepositoryEvent[] {
    if (!state) throw refusal('reject.repository_not_found', 'no repository has this id');
    if (state.workgroupRepoId === workgroupRepoId) return [];
    const { repositoryId } = state;
    return [{ type: 'RepositoryIdentityResolved', v: 1, repositoryId, workgroupRepoId }];
  },
};
