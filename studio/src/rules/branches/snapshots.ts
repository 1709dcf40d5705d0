/** Snapshots: commits of a repository, by id, or by number along the user's branch. */
import { refusal } from '../../reasons.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import type { BranchContext } from './branch-context.js';
import { MAIN, headOf, storedBranch } from './stored-branch.js';

export interface Snapshot {
  readonly repositoryId: string;
  readonly snapshotId: string;
  readonly store: ObjectStore;
}

/** Finds a snapshot in any repository. */
export async function snapshotOf(
  { records, disk }: Pick<BranchContext, 'records' | 'disk'>,
  snapshotId: string,
): Promise<Snapshot> {
  for (const { repositoryId } of records.repositories.all()) {
    const store = await disk.stores.of(repositoryId);
    if (await store.has(snapshotId)) return { repositoryId, snapshotId, store };
  }
  const recorded =
    records.knownGoods.all().find(({ commit }) => commit === snapshotId) ??
    records.proposals.all().find((one) => one.headCommit === snapshotId || one.resultCommit === snapshotId);
  if (recorded)
    throw refusal('reject.snapshot_gone', `${snapshotId} is recorded, and not on this host`, {
      snapshotId,
      repositoryId: recorded.repositoryId,
      agedOut: true,
    });
  throw refusal('reject.commit_not_found', `no repository has the commit ${snapshotId}`, { snapshotId });
}

/** Snapshot by its id, or by its number along the user's branch, from 1. */
export async function generationOf(
  context: BranchContext,
  repositoryId: string,
  generationId: string,
): Promise<Snapshot> {
  const branch = await storedBranch(context, MAIN, repositoryId);
  const { store } = branch;
  const line = /^\d{1,9}$/.test(generationId) ? await store.line(await headOf(context, branch)) : undefined;
  const snapshotId = line ? line.at(-Number(generationId)) : generationId;
  if (snapshotId !== undefined && (await store.has(snapshotId))) return { repositoryId, snapshotId, store };
  throw refusal('reject.commit_not_found', `${repositoryId} has no generation ${generationId}`, { generationId });
}

/** Content of a file of a snapshot. */
export async function fileOf({ store, snapshotId }: Snapshot, path: string): Promise<Buffer> {
  const entry = await store.entry(snapshotId, safePath(path));
  if (!entry || entry.mode === '040000' || entry.mode === '160000')
    throw refusal('reject.file_not_found', `${snapshotId} has no file ${path}`, { path });
  return store.read(entry.id);
}
