/** What the events of one repository add up to. */
import type { Told } from '../aggregate.js';
import type { RepositoryEvent } from './events.js';

export interface RegisteredRepository {
  readonly repositoryId: string;
  readonly path: string;
  readonly label?: string;
  readonly rootCommits: readonly string[];
  readonly registeredAt: string;
  /** Since when it has its path, and how often the path had changed hands before. */
  readonly pathSince: string;
  readonly turn: number;
  /** The repository of the workgroup that people have said this is, where its history does not say so. */
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
