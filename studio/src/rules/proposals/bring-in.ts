/** Seed of conflict-resolving work: the target, with everything of the other side that is not in conflict. */
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { headRef } from '../../workspace/git/objects/ref-names.js';

/** Makes that commit, pinned for the conflict. Files in conflict are as in the target. */
export async function bringIn(
  store: ObjectStore,
  from: string,
  { proposalId, baseCommit, headCommit }: Pick<Proposal, 'proposalId' | 'baseCommit' | 'headCommit'>,
  { conflictId, at }: { readonly conflictId: string; readonly at: string },
): Promise<string> {
  const merged = await store.merge(baseCommit, from, headCommit);
  const paths = merged.conflicts.map(({ path }) => path);
  const there = new Map((await store.files(from)).map((entry) => [entry.path, entry]));
  const known = new Set([...there.keys(), ...(await store.files(headCommit)).map(({ path }) => path)]);
  // Files that the merge has set aside because another one has their path.
  const aside = (await store.files(merged.tree)).filter(({ path }) => !known.has(path));
  const tree = await store.edit(merged.tree, [
    ...aside.map(({ path }) => ({ path, content: null })),
    ...paths.map((path) => ({ path, content: there.get(path) ?? null })),
  ]);
  const message = `Begin to reconcile ${conflictId}\n\nWeft-Proposal: ${proposalId}`;
  const commit = await store.commit({ tree, parents: [from, headCommit], message, at });
  const ref = headRef(conflictId);
  await store.move(ref, await store.at(ref), commit);
  return commit;
}
