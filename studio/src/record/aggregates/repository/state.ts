/** State of a repository, folded from its events. */
import type { Told } from '../aggregate.js';
import type { RepositoryEvent } from './events.js';

export interface RegisteredRepository {
  readonly repositoryId: string;
  readonly path: string;
  readonly label?: string;
  readonly rootCommits: readonly string[];
  readonly registeredAt: string;
  /** Time of the registration at its path, and the number of that claim. */
  readonly pathSince: string;
  readonly turn: number;
  /** Repository of the workgroup that people say this is, where its history does not say so. */
  readonly workgroupRepoId?: string;
}

export function evolve(
  state: RegisteredRepository | undefined,
  event: RepositoryEvent,
  told: Told,
): RegisteredRepository | undefined {
  switch (event.type) {
    case 'RepositoryRegistered': {
      const { repositoryId, path, label, rootCommits, turn = 0 } = event;
      const named = label === undefined ? {} : { label };
      return state ?? { repositoryId, path, ...named, rootCommits, registeredAt: told.at, pathSince: told.at, turn };
    }
    case 'RepositoryIdentityResolved':
      return state && { ...state, workgroupRepoId: event.workgroupRepoId };
    case 'RepositoryMoved':
      return state && { ...state, path: event.path, pathSince: told.at, turn: event.turn ?? 0 };
  }
}
