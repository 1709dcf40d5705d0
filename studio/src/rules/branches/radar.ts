/**
 * Which branches cannot be merged with each other, long before anybody tries: every pair of live branches is merged in the
 * object store. A pair is merged once for as long as neither of the two moves, and all pairs that are new in one go.
 */
import type { Conflict, MergeOutcome, ObjectStore } from '../../workspace/git/object-store.js';

export interface Collision {
  readonly branchIds: readonly [string, string];
  readonly conflicts: readonly Conflict[];
}

export class Radar {
  readonly #known = new WeakMap<ObjectStore, Map<string, MergeOutcome>>();

  /** The pairs in conflict, of branches that are at these commits. */
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
    // What is no pair any more is forgotten.
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
