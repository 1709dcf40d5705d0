/** How a branch stands, read without changing anything. */
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';
import { statusOf } from '../../workspace/git/spaces.js';
import type { Ground } from './branch-context.js';
import { type BranchPlace, headOf } from './stored-branch.js';
import { onBranch } from './save.js';

export interface BranchStatus {
  readonly branchId: string;
  readonly status: 'active' | 'merged' | 'evicted' | 'conflicted';
  readonly pendingChangeCount: number;
  readonly headCheckpoint: string;
}

export async function statusOfBranch(ground: Ground, place: BranchPlace): Promise<BranchStatus> {
  const { branchId, store } = place;
  const headCheckpoint = await headOf(ground, place);
  const pending = await onBranch(ground, place, async () => {
    const space = await ground.disk.spaces.find(place);
    return space && (await statusOf(ground.disk.spaces, store, space)).changes.length;
  });
  const status = standing(ground, branchId, headCheckpoint, pending !== undefined);
  return { branchId, status, pendingChangeCount: pending ?? 0, headCheckpoint };
}

function standing({ records }: Ground, branchId: string, head: string, isOpen: boolean): BranchStatus['status'] {
  const proposals = records.proposals.where('source', branchId);
  const isConflicted = proposals.some(({ proposalId }) =>
    records.conflicts.where('proposal', proposalId).some(({ status }) => status !== 'Resolved'),
  );
  if (isConflicted) return 'conflicted';
  if (hasLandedAt(records, branchId, head)) return 'merged';
  const units = records.workUnits.where('branch', branchId);
  return !isOpen && units.length > 0 && units.every(({ status }) => isOver(status)) ? 'evicted' : 'active';
}

/** Whether all that is on the branch has landed. */
export function hasLandedAt({ proposals }: Records, branchId: string, head: string): boolean {
  const last = proposals.where('source', branchId).at(-1);
  return last?.status === 'Merged' && last.headCommit === head;
}
