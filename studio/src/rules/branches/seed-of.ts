/** Seed: a state of a unit's work, for work that branches off from it. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { BranchContext } from './branch-context.js';
import { storedBranch } from './stored-branch.js';
import { save } from './save.js';

export interface Seed {
  readonly repositoryId: string;
  /** Commit of its branch, unsaved files included. */
  readonly seedSnapshotId: string;
}

/** Seed of a unit; undefined when it has not touched a file yet. */
export async function seedOf(
  context: BranchContext,
  { branchId, repositoryId }: Pick<WorkUnit, 'branchId' | 'repositoryId'>,
): Promise<Seed | undefined> {
  if (!context.records.branches.get(branchId)) return undefined;
  const branch = await storedBranch(context, branchId, repositoryId);
  return { repositoryId: branch.repositoryId, seedSnapshotId: await save(context, branch) };
}

const PAGE = 100;

/** Seed of a unit as its branch was at a time, to the second; before its first commit that is what it began with. */
export async function seedAt(
  context: BranchContext,
  { branchId, repositoryId }: Pick<WorkUnit, 'branchId' | 'repositoryId'>,
  at: string,
): Promise<Seed | undefined> {
  const begun = context.records.branches.get(branchId);
  if (!begun) return undefined;
  const branch = await storedBranch(context, branchId, repositoryId);
  const head = await save(context, branch);
  for (let skip = 0; ; skip += PAGE) {
    const past = await branch.store.history(head, { skip, most: PAGE });
    const found = past.find((one) => one.commit === begun.seedSnapshotId || Date.parse(one.at) <= Date.parse(at));
    if (found) return { repositoryId: branch.repositoryId, seedSnapshotId: found.commit };
    if (past.length < PAGE) return { repositoryId: branch.repositoryId, seedSnapshotId: begun.seedSnapshotId };
  }
}
