/** Where work stands, for what branches off from there. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { BranchContext } from './branch-context.js';
import { storedBranch } from './stored-branch.js';
import { save } from './save.js';

export interface Seed {
  readonly repositoryId: string;
  /** What its branch is at, with all that lies in its folder. */
  readonly seedSnapshotId: string;
}

/** Undefined when it has not touched a file yet. */
export async function seedOf(
  context: BranchContext,
  { branchId, repositoryId }: Pick<WorkUnit, 'branchId' | 'repositoryId'>,
): Promise<Seed | undefined> {
  if (!context.records.branches.get(branchId)) return undefined;
  const branch = await storedBranch(context, branchId, repositoryId);
  return { repositoryId: branch.repositoryId, seedSnapshotId: await save(context, branch) };
}
