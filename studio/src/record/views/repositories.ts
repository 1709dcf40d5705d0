/**
 * Registered repositories and their paths.
 *
 * A path belongs to whoever was registered there last: when a folder was replaced by another repository, the former holder
 * keeps its record but is not listed until it is registered again. Who was last follows from what was written, not from the
 * order of arrival, so hosts with the same events agree.
 */
import type { RepositoryEvent } from '../aggregates/repository/events.js';
import { repository } from '../aggregates/repository/repository.js';
import type { RegisteredRepository } from '../aggregates/repository/state.js';
import { Collection } from '../ledger/collection.js';

type Claim = Pick<RegisteredRepository, 'repositoryId' | 'turn' | 'pathSince'>;

type PathClaims = readonly [path: string, claims: readonly Claim[]];

export class Repositories extends Collection<RegisteredRepository, RepositoryEvent> {
  /** Claims by path: the latest registration of each repository there, whether it is still there or not. */
  readonly #claims = new Map<string, Map<string, Claim>>();

  constructor() {
    super(repository);
  }

  /** Listed repositories, in the order of first registration. */
  override all(): RegisteredRepository[] {
    return super.all().filter(({ repositoryId, path }) => this.#last(path)?.repositoryId === repositoryId);
  }

  atPath(path: string): RegisteredRepository | undefined {
    const found = this.get(this.#last(path)?.repositoryId ?? '');
    return found?.path === path ? found : undefined;
  }

  /** Claim number of a registration at a path now. */
  turnOf(repositoryId: string, path: string): number {
    const last = this.#last(path);
    if (!last) return 0;
    return last.repositoryId === repositoryId ? last.turn : last.turn + 1;
  }

  protected override keptBeside(): readonly PathClaims[] {
    return [...this.#claims].map(([path, claims]) => [path, [...claims.values()].map(claimOf)]);
  }

  protected override restoreBeside(more: readonly PathClaims[]): void {
    for (const [path, claims] of more)
      this.#claims.set(path, new Map(claims.map((claim) => [claim.repositoryId, claim])));
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

function claimOf({ repositoryId, turn, pathSince }: Claim): Claim {
  return { repositoryId, turn, pathSince };
}

function set(claims: Map<string, Claim>, id: string, claim: Claim | undefined): void {
  if (claim) claims.set(id, claim);
  else claims.delete(id);
}

/** Total order of claims; hosts that have not heard of each other may use the same number. */
function isAfter(one: Claim, other: Claim): boolean {
  if (one.turn !== other.turn) return one.turn > other.turn;
  if (one.pathSince !== other.pathSince) return one.pathSince > other.pathSince;
  return one.repositoryId > other.repositoryId;
}
