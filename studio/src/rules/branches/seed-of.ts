/** Seed: the present state of a unit's work, for work that branches off from it. */
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
