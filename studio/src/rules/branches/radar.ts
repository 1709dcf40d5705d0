/**
 * Conflict radar: merges every pair of live branches in the object store, to find conflicts before anybody tries to merge.
 * Memoized: a pair is merged once for as long as neither of the two moves, and all new pairs in one go.
 */
import type { Conflict, MergeOutcome, ObjectStore } from '../../workspace/git/objects/object-store.js';

export interface Collision {
  readonly branchIds: readonly [string, string];
  readonly conflicts: readonly Conflict[];
}

export class Radar {
  readonly #known = new WeakMap<ObjectStore, Map<string, MergeOutcome>>();

  /** Pairs in conflict, of branches at these commits. */
  async look(store: ObjectStore, heads: ReadonlyMap<string, string>): Promise<Collision[]> {
    const branches = [...heads].sort(([a], [b]) => (a < b ? -1 : 1));
    const before = this.#known.get(store);
    const pairs = new Map<string, readonly [string, string]>();
    for (const [index, [, one]] of branches.entries())
      for (const [, other] of branches.slice(index + 1))
        if (one !== other) pairs.set(pairOf(one, other), ordered(one, other));
    const unknown = [...pairs].filter(([pair]) => before?.has(pair) !== true);
    const merged = await store.tryPairs(unknown.map(([, pair]) => pair));
    const now = new Map(unknown.map(([pair], index) => [pair, merged[index]!]));
    for (const pair of pairs.keys()) {
      const found = before?.get(pair);
      if (found) now.set(pair, found);
    }
    // Evicts pairs that no longer exist.
    this.#known.set(store, now);
    return branches.flatMap(([a, one], index) =>
      branches.slice(index + 1).flatMap(([b, other]) => {
        const found = now.get(pairOf(one, other));
        return found === undefined || found.clean ? [] : [{ branchIds: [a, b] as const, conflicts: found.conflicts }];
      }),
    );
  }
}

function ordered(one: string, other: string): readonly [string, string] {
  return one < other ? [one, other] : [other, one];
}

function pairOf(one: string, other: string): string {
  return ordered(one, other).join(' ');
}
