/** Where work stands, for what branches off from there. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Ground } from './branch-context.js';
import { placeOf } from './stored-branch.js';
import { save } from './save.js';

export interface Stand {
  readonly repositoryId: string;
  /** What its branch is at, with all that lies in its folder. */
  readonly seedSnapshotId: string;
}

/** Undefined when it has not touched a file yet. */
export async function standOf(
  ground: Ground,
  { branchId, repositoryId }: Pick<WorkUnit, 'branchId' | 'repositoryId'>,
): Promise<Stand | undefined> {
  if (!ground.records.branches.get(branchId)) return undefined;
  const place = await placeOf(ground, branchId, repositoryId);
  return { repositoryId: place.repositoryId, seedSnapshotId: await save(ground, place) };
}
