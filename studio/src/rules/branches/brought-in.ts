/**
 * What was brought into the branch of a unit: the target of each conflict that its own worker was given. The branch itself says so, because
 * the merge is pinned before the branch moves, and recorded only later: what is decided of the conflict in between changes nothing in it.
 */
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { Records } from '../../record/views/records.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { broughtInRef } from '../../workspace/git/objects/ref-names.js';

export interface Brought {
  readonly of: Conflict;
  /** Commit of the target. */
  readonly target: string;
  /** Commit of the branch that it was merged as. */
  readonly commit: string;
}

/** Targets that a commit of the unit's branch has in it, oldest first. */
export async function broughtInto(
  { conflicts }: Records,
  store: ObjectStore,
  { workUnitId, head }: { readonly workUnitId: string; readonly head: string },
): Promise<Brought[]> {
  const found: Brought[] = [];
  for (const of of conflicts.where('workUnit', workUnitId)) {
    const commit = await store.at(broughtInRef(of.conflictId));
    if (commit === undefined || !(await store.isAncestor(commit, head))) continue;
    const target = await store.resolve(`${commit}^2`);
    if (target !== undefined) found.push({ of, target, commit });
  }
  return found;
}
