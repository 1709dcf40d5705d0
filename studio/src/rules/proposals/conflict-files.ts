/** Resolution of conflicts file by file. When the last file has its contents, the proposal lands with these contents. */
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import {
  type RepositoryConflict,
  type Strategy,
  repositoryConflict,
} from '../../record/aggregates/repository-conflict/repository-conflict.js';
import { proposalOf } from '../../record/views/by-id.js';
import type { FileVersions } from '../../workspace/git/merges/file-versions.js';
import { mergeJson } from '../../workspace/git/merges/merge-json.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { resolvedRef } from '../../workspace/git/objects/ref-names.js';
import { apply } from './apply.js';
import type { BranchContext } from '../branches/branch-context.js';
import { headOf, storedBranch } from '../branches/stored-branch.js';
import { resolveWith } from './reconcile.js';

/** Contents of the file; null for no file. */
export type Contents = string | null;

export interface Found {
  readonly strategy: Strategy;
  readonly contents: Contents;
}

/** Unresolved: no strategy worked; what each of them said. */
export interface Unresolved {
  readonly reasons: readonly string[];
}

/** Inputs of the strategies. */
export interface Help {
  /** Contents given by a person. */
  readonly contents?: Contents | undefined;
  /** Merge by a named model: its text, or why it gave none. */
  readonly merge?: ((versions: FileVersions) => Promise<string | { readonly why: string }>) | undefined;
}

/** Tries the strategies in order. */
export async function findContents(
  context: BranchContext,
  found: RepositoryConflict,
  strategies: readonly Strategy[],
  help: Help,
): Promise<Found | Unresolved> {
  const reasons: string[] = [];
  for (const strategy of strategies) {
    const contents = await WAYS[strategy](context, found, help);
    if (typeof contents !== 'object' || contents === null) return { strategy, contents };
    reasons.push(`${strategy}: ${contents.why}`);
  }
  return { reasons };
}

type Way = (
  context: BranchContext,
  found: RepositoryConflict,
  help: Help,
) => Promise<Contents | { readonly why: string }>;

/** Length limit: a model returns no longer files. */
const MOST_CHARACTERS = 100_000;

const WAYS: Readonly<Record<Strategy, Way>> = {
  threeway: async (context, { path, mergeConflictId }) => {
    const { store, merged } = await mergedNow(context, conflictAt(context, mergeConflictId));
    const kind = merged.conflicts.find((one) => one.path === path)?.kind;
    if (kind === 'driver') return { why: 'the repository has a program of its own merge it, which is not run here' };
    if (kind !== undefined) return { why: 'both have changed the same lines' };
    return contentsOf(store, (await store.entry(merged.tree, path))?.id);
  },
  ast: async (context, found) => {
    if (!found.path.endsWith('.json')) return { why: 'only JSON is merged by its structure' };
    const { base, ours, theirs } = await versionsOf(context, found);
    return (
      mergeJson(base ?? '{}', ours ?? '', theirs ?? '') ?? { why: 'both have changed the same place of the document' }
    );
  },
  llm: async (context, found, { merge }) => {
    if (!merge) return { why: 'the provider of a model has to be named' };
    const versions = await versionsOf(context, found);
    const all = [versions.base, versions.ours, versions.theirs].map((content) => content ?? '');
    if (all.some((content) => content.includes('\0') || content.includes('\uFFFD'))) return { why: 'it is no text' };
    if (all.some(({ length }) => length > MOST_CHARACTERS)) return { why: 'it is too long for a model' };
    const contents = await merge(versions);
    const { ours } = await versionsOf(context, found);
    return ours === versions.ours ? contents : { why: 'the target has changed while the model was asked' };
  },
  human: (_ground, _found, { contents }) =>
    Promise.resolve(contents === undefined ? { why: 'a person has to give the contents' } : contents),
};

async function versionsOf(
  context: BranchContext,
  { path, mergeConflictId, oldBlobId, blobIdB }: RepositoryConflict,
): Promise<FileVersions> {
  const { store, head } = await mergedNow(context, conflictAt(context, mergeConflictId));
  const now = (await store.entry(head, path))?.id;
  const [base = null, ours = null, theirs = null] = await Promise.all(
    [oldBlobId, now, blobIdB].map((id) => contentsOf(store, id)),
  );
  return { path, base, ours, theirs };
}

/** Stores the contents of a file. Answers the proposal, if this was the last file and it has landed. */
export async function resolveFile(
  context: BranchContext,
  found: RepositoryConflict,
  { strategy, contents }: Found,
  by: string,
): Promise<{ readonly opId: string; readonly landedProposalId: string | null }> {
  const { conflictId, mergeConflictId, path, repositoryId } = found;
  const store = await context.disk.stores.of(repositoryId);
  const tree = await store.edit(await store.emptyTree(), contents === null ? [] : [{ path, content: contents }]);
  const commit = await store.commit({ tree, parents: [], message: `Resolve ${conflictId}`, at: context.now() });
  // Pinned before it is recorded, so that what is recorded exists.
  await store.move(resolvedRef(conflictId), await store.at(resolvedRef(conflictId)), commit);
  const blobId = (await store.entry(commit, path))?.id;
  const opId = context.newId('op-');
  await context.change((change) =>
    change.run(repositoryConflict, conflictId, 'resolve', {
      strategy,
      byOpId: opId,
      ...(blobId === undefined ? {} : { blobId }),
    }),
  );
  return { opId, landedProposalId: await landIfWhole(context, conflictAt(context, mergeConflictId), by) };
}

async function landIfWhole(context: BranchContext, conflict: Conflict, by: string): Promise<string | null> {
  const rows = context.records.repositoryConflicts.where('mergeConflict', conflict.conflictId);
  if (conflict.status === 'Resolved' || rows.some(({ status }) => status !== 'Resolved')) return null;
  const { store, merged } = await mergedNow(context, conflict);
  const files: Record<string, Contents> = {};
  for (const { path } of merged.conflicts) {
    const row = rows.find((one) => one.path === path);
    // The target has moved, and there are other conflicts now.
    if (!row) return null;
    files[path] = await contentsOf(store, row.resolution?.blobId);
  }
  const landing = merged.clean
    ? conflict.proposalId
    : (await context.change(await resolveWith(context, conflict, files, by))).proposalId;
  const { proposalId } = await apply(context, landing, (record) => context.change(record));
  return proposalId;
}

async function mergedNow(context: BranchContext, { proposalId, targetBranch, repositoryId }: Conflict) {
  const { baseCommit, headCommit } = proposalOf(context.records, proposalId);
  const branch = await storedBranch(context, targetBranch, repositoryId);
  const head = await headOf(context, branch);
  return { store: branch.store, head, merged: await branch.store.merge(baseCommit, head, headCommit) };
}

/** Merge conflict of a file conflict; they are recorded together. */
function conflictAt({ records }: Pick<BranchContext, 'records'>, mergeConflictId: string): Conflict {
  return records.conflicts.get(mergeConflictId)!;
}

async function contentsOf(store: ObjectStore, blobId: string | undefined): Promise<Contents> {
  return blobId === undefined ? null : (await store.read(blobId)).toString('utf8');
}
