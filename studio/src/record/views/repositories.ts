/**
 * Which repositories are registered, and where.
 *
 * A path belongs to whoever was registered there last: when a folder was replaced by another repository, the former
 * holder keeps its record but is no longer listed until it is registered again. Who was last is said by what was written, not
 * by the order in which it is heard of, so hosts that have heard the same say the same.
 */
import type { RepositoryEvent } from '../aggregates/repository/events.js';
import { repository } from '../aggregates/repository/repository.js';
import type { RegisteredRepository } from '../aggregates/repository/state.js';
import { Collection } from '../ledger/collection.js';

type Claim = Pick<RegisteredRepository, 'repositoryId' | 'turn' | 'pathSince'>;

export class Repositories extends Collection<RegisteredRepository, RepositoryEvent> {
  /** For each path the last time that each repository was registered there, whether it is still there or not. */
  readonly #claims = new Map<string, Map<string, Claim>>();

  constructor() {
    super(repository);
  }

  /** In the order of first registration. */
  override all(): RegisteredRepository[] {
    return super.all().filter(({ repositoryId, path }) => this.#last(path)?.repositoryId === repositoryId);
  }

  atPath(path: string): RegisteredRepository | undefined {
    const found = this.get(this.#last(path)?.repositoryId ?? '');
    return found?.path === path ? found : undefined;
  }

  /** Which turn it is when a repository is registered at a path now. */
  turnOf(repositoryId: string, path: string): number {
    const last = this.#last(path);
    if (!last) return 0;
    return last.repositoryId === repositoryId ? last.turn : last.turn + 1;
  }

  protected override folded(id: string, _before: unknown, after: RegisteredRepository | undefined): void {
    if (!after) for (const claims of this.#claims.values()) this.#claim(claims, id, undefined);
    else {
      const claims = this.#claims.get(after.path) ?? new Map<string, Claim>();
      this.#claims.set(after.path, claims);
      this.#claim(claims, id, after);
    }
  }

  #claim(claims: Map<string, Claim>, id: string, claim: Claim | undefined): void {
    const before = claims.get(id);
    set(claims, id, claim);
    this.changed(() => set(claims, id, before));
  }

  #last(path: string): Claim | undefined {
    let last: Claim | undefined;
    for (const claim of this.#claims.get(path)?.values() ?? []) if (!last || isAfter(claim, last)) last = claim;
    return last;
  }
}

function set(claims: Map<string, Claim>, id: string, claim: Claim | undefined): void {
  if (claim) claims.set(id, claim);
  else claims.delete(id);
}

/** Two hosts that have not heard of each other may take the same turn. */
function isAfter(one: Claim, other: Claim): boolean {
  if (one.turn !== other.turn) return one.turn > other.turn;
  if (one.pathSince !== other.pathSince) return one.pathSince > other.pathSince;
  return one.repositoryId > other.repositoryId;
}
