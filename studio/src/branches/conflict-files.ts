/**
 * Files in conflict, one by one. When the last file of a conflict has its contents, the proposal that could not land does,
 * with these contents.
 */
import type { Conflict } from '../aggregates/conflict/conflict.js';
import {
  type RepositoryConflict,
  type Strategy,
  repositoryConflict,
} from '../aggregates/repository-conflict/repository-conflict.js';
import { proposalOf } from '../flows/review.js';
import { mergeJson } from '../workspace/merge-json.js';
import type { ObjectStore } from '../workspace/object-store.js';
import { resolvedRef } from '../workspace/ref-names.js';
import { apply } from './apply.js';
import type { Ground } from './ground.js';
import { headOf, placeOf } from './place.js';
import { resolveWith } from './reconcile.js';

/** What the file is to hold; null for no file. */
export type Contents = string | null;

export interface Found {
  readonly strategy: Strategy;
  readonly contents: Contents;
}

/** Without a way that works: what each of them said. */
export interface Unresolved {
  readonly reasons: readonly string[];
}

/** Tries one way after the other. `given` is what a person says. */
export async function findContents(
  ground: Ground,
  found: RepositoryConflict,
  strategies: readonly Strategy[],
  given: Contents | undefined,
): Promise<Found | Unresolved> {
  const reasons: string[] = [];
  for (const strategy of strategies) {
    const contents = await WAYS[strategy](ground, found, given);
    if (typeof contents !== 'object' || contents === null) return { strategy, contents };
    reasons.push(`${strategy}: ${contents.why}`);
  }
  return { reasons };
}

type Way = (
  ground: Ground,
  found: RepositoryConflict,
  given: Contents | undefined,
) => Promise<Contents | { readonly why: string }>;

const WAYS: Readonly<Record<Strategy, Way>> = {
  threeway: async (ground, { path, mergeConflictId }) => {
    const { store, merged } = await mergedNow(ground, conflictAt(ground, mergeConflictId));
    if (merged.conflicts.some((one) => one.path === path)) return { why: 'both have changed the same lines' };
    return contentsOf(store, (await store.entry(merged.tree, path))?.id);
  },
  ast: async (ground, { path, mergeConflictId, oldBlobId, blobIdB }) => {
    if (!path.endsWith('.json')) return { why: 'only JSON is merged by its structure' };
    const { store, head } = await mergedNow(ground, conflictAt(ground, mergeConflictId));
    const now = (await store.entry(head, path))?.id;
    const [base, ours, theirs] = await Promise.all([oldBlobId, now, blobIdB].map((id) => contentsOf(store, id)));
    return (
      mergeJson(base ?? '{}', ours ?? '', theirs ?? '') ?? { why: 'both have changed the same place of the document' }
    );
  },
  llm: () => Promise.resolve({ why: 'no model resolves conflicts on this host' }),
  human: (_ground, _found, given) =>
    Promise.resolve(given === undefined ? { why: 'a person has to give the contents' } : given),
};

/** Keeps the contents, and lands the proposal when it was the last file. Answers the proposal that has landed with it. */
export async function resolveFile(
  ground: Ground,
  found: RepositoryConflict,
  { strategy, contents }: Found,
  by: string,
): Promise<{ readonly opId: string; readonly landedProposalId: string | null }> {
  const { conflictId, mergeConflictId, path, repositoryId } = found;
  const store = await ground.disk.stores.of(repositoryId);
  const tree = await store.edit(await store.emptyTree(), contents === null ? [] : [{ path, content: contents }]);
  const commit = await store.commit({ tree, parents: [], message: `Resolve ${conflictId}`, at: ground.now() });
  // Kept before it is recorded: what is recorded is there.
  await store.move(resolvedRef(conflictId), await store.at(resolvedRef(conflictId)), commit);
  const blobId = (await store.entry(commit, path))?.id;
  const opId = ground.newId('op-');
  await ground.change((change) =>
    change.run(repositoryConflict, conflictId, 'resolve', {
      ...{ strategy, byOpId: opId },
      ...(blobId === undefined ? {} : { blobId }),
    }),
  );
  return { opId, landedProposalId: await landIfWhole(ground, conflictAt(ground, mergeConflictId), by) };
}

async function landIfWhole(ground: Ground, conflict: Conflict, by: string): Promise<string | null> {
  const rows = ground.records.repositoryConflicts.where('mergeConflict', conflict.conflictId);
  if (conflict.status === 'Resolved' || rows.some(({ status }) => status !== 'Resolved')) return null;
  const { store, merged } = await mergedNow(ground, conflict);
  const files: Record<string, Contents> = {};
  for (const { path } of merged.conflicts) {
    const row = rows.find((one) => one.path === path);
    // The target has moved, and now there are others.
    if (!row) return null;
    files[path] = await contentsOf(store, row.resolution?.blobId);
  }
  const landing = merged.clean
    ? conflict.proposalId
    : (await ground.change(await resolveWith(ground, conflict, files, by))).proposalId;
  const { proposalId } = await apply(ground, landing, (record) => ground.change(record));
  return proposalId;
}

async function mergedNow(ground: Ground, { proposalId, targetBranch, repositoryId }: Conflict) {
  const { baseCommit, headCommit } = proposalOf(ground.records, proposalId);
  const place = await placeOf(ground, targetBranch, repositoryId);
  const head = await headOf(ground, place);
  return { store: place.store, head, merged: await place.store.merge(baseCommit, head, headCommit) };
}

/** Recorded with the file that names it. */
function conflictAt({ records }: Ground, mergeConflictId: string): Conflict {
  return records.conflicts.get(mergeConflictId)!;
}

async function contentsOf(store: ObjectStore, blobId: string | undefined): Promise<Contents> {
  return blobId === undefined ? null : (await store.read(blobId)).toString('utf8');
}
