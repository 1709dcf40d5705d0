/** What the events of one repository add up to. `evolve` is total: an event that cannot apply changes nothing. */
import type { RepositoryEvent } from './events.js';

export type RepositoryState = { readonly status: 'unknown' } | RegisteredRepository;

export interface RegisteredRepository {
  readonly status: 'registered';
  readonly repositoryId: string;
  readonly path: string;
  readonly label?: string;
  readonly rootCommits: readonly string[];
  readonly registeredAt: string;
}

export const initial: RepositoryState = { status: 'unknown' };

export function evolve(state: RepositoryState, event: RepositoryEvent): RepositoryState {
  switch (event.type) {
    case 'RepositoryRegistered':
      if (state.status === 'registered') return state;
      return {
        status: 'registered',
        repositoryId: event.repositoryId,
        path: event.path,
        ...(event.label === undefined ? {} : { label: event.label }),
        rootCommits: event.rootCommits,
        registeredAt: event.registeredAt,
      };
    case 'RepositoryMoved':
      return state.status === 'registered' ? { ...state, path: event.path } : state;
  }
}
