/**
 * Which repositories are registered, and where. Disposable: it is folded from the log at every start.
 *
 * A path belongs to whoever registered it last: when a folder was replaced by another repository, the former
 * holder keeps its record but is no longer listed until it is registered at a new path.
 */
import { repository } from '../aggregates/repository/repository.js';
import type { RegisteredRepository, RepositoryState } from '../aggregates/repository/state.js';
import type { View } from '../ledger/ledger.js';
import type { StoredEvent } from '../ledger/stream.js';

export class RepositoriesView implements View {
  readonly aggregate = repository.name;
  readonly #states = new Map<string, RepositoryState>();
  readonly #holders = new Map<string, string>();

  fold(stored: StoredEvent): 'folded' | 'unreadable' {
    const event = repository.event.safeParse(stored.event);
    if (!event.success) return 'unreadable';
    const before = this.#states.get(stored.id) ?? repository.initial;
    const after = repository.evolve(before, event.data);
    this.#states.set(stored.id, after);
    if (after.status === 'registered') this.#holders.set(after.path, stored.id);
    return 'folded';
  }

  /** In the order of first registration. */
  all(): RegisteredRepository[] {
    const found: RegisteredRepository[] = [];
    for (const [id, state] of this.#states) {
      if (state.status === 'registered' && this.#holders.get(state.path) === id) found.push(state);
    }
    return found;
  }

  byId(repositoryId: string): RegisteredRepository | undefined {
    const state = this.#states.get(repositoryId);
    return state?.status === 'registered' ? state : undefined;
  }

  atPath(path: string): RegisteredRepository | undefined {
    const id = this.#holders.get(path);
    const found = id === undefined ? undefined : this.byId(id);
    return found?.path === path ? found : undefined;
  }
}
