/**
 * What may happen to a repository.
 *
 * A repository is its history, not its folder, so two clones share one id, and that id has one folder at a
 * time: branches, candidates and promotion must mean one place. Registering the same path again changes
 * nothing. A second path is refused while the first still holds the repository, and takes its place when the
 * first no longer does (the folder was moved, removed, or now holds something else). The first label stays.
 */
import { refusal } from '../../reasons.js';
import type { RepositoryEvent } from './events.js';
import type { RepositoryState } from './state.js';

export interface RegisterRepository {
  readonly type: 'register';
  readonly repositoryId: string;
  readonly path: string;
  readonly label?: string | undefined;
  readonly rootCommits: readonly string[];
}

export interface RepositoryCommands {
  register: RegisterRepository;
}

export interface RepositoryFacts {
  readonly now: string;
  /** A path that was looked at for this command and does not hold the repository any more. */
  readonly abandonedPath?: string | undefined;
}

export const decide = {
  register(state: RepositoryState, command: RegisterRepository, facts: RepositoryFacts): readonly RepositoryEvent[] {
    const { repositoryId, path, label } = command;
    if (state.status === 'unknown') {
      return [
        {
          type: 'RepositoryRegistered',
          v: 1,
          repositoryId,
          path,
          ...(label === undefined ? {} : { label }),
          rootCommits: [...command.rootCommits],
          registeredAt: facts.now,
        },
      ];
    }
    if (state.path === path) return [];
    // The fact names the path it was checked for: if another command moved the repository meanwhile, it proves nothing.
    if (state.path === facts.abandonedPath) {
      return [{ type: 'RepositoryMoved', v: 1, repositoryId, path, movedAt: facts.now }];
    }
    throw refusal(
      'reject.repository_registered_elsewhere',
      `${path} is a clone of ${state.repositoryId}, which is registered at ${state.path}`,
      { repositoryId: state.repositoryId, path: state.path },
    );
  },
};
