/**
 * Which repositories are registered, and where.
 *
 * A path belongs to whoever registered it last: when a folder was replaced by another repository, the former
 * holder keeps its record but is no longer listed until it is registered at a new path.
 */
import type { RepositoryEvent } from '../aggregates/repository/events.js';
import { repository } from '../aggregates/repository/repository.js';
import type { RegisteredRepository } from '../aggregates/repository/state.js';
import { Collection } from '../ledger/collection.js';

export class Repositories extends Collection<RegisteredRepository, RepositoryEvent> {
  readonly #holders = new Map<string, string>();

  constructor() {
    super(repository);
  }

  /** In the order of first registration. */
  override all(): RegisteredRepository[] {
    return super.all().filter(({ repositoryId, path }) => this.#holders.get(path) === repositoryId);
  }

  atPath(path: string): RegisteredRepository | undefined {
    const found = this.get(this.#holders.get(path) ?? '');
    return found?.path === path ? found : undefined;
  }

  protected override folded(id: string, _before: unknown, after: RegisteredRepository | undefined): void {
    if (after) this.#holders.set(after.path, id);
  }
}
