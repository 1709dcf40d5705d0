/** Branch status, computed without side effects. */
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';
import { statusOf } from '../../workspace/git/spaces/spaces.js';
import type { BranchContext } from './branch-context.js';
import { type StoredBranch, headOf } from './stored-branch.js';
import { onBranch } from './save.js';

export interface BranchStatus {
  readonly branchId: string;
  readonly status: 'active' | 'merged' | 'evicted' | 'conflicted';
  readonly pendingChangeCount: number;
  readonly headCheckpoint: string;
}

export async function statusOfBranch(context: BranchContext, branch: StoredBranch): Promise<BranchStatus> {
  const { branchId, store } = branch;
  const headCheckpoint = await headOf(context, branch);
  const pending = await onBranch(context, branch, async () => {
    const space = await context.disk.spaces.find(branch);
    return space && (await statusOf(context.disk.spaces, store, space)).changes.length;
  });
  const status = statusFrom(context, branchId, headCheckpoint, pending !== undefined);
  return { branchId, status, pendingChangeCount: pending ?? 0, headCheckpoint };
}

function statusFrom(
  { records }: Pick<BranchContext, 'records'>,
  branchId: string,
  head: string,
  isOpen: boolean,
): BranchStatus['status'] {
  const proposals = records.proposals.where('source', branchId);
  const isConflicted = proposals.some(({ proposalId }) =>
    records.conflicts.where('proposal', proposalId).some(({ status }) => status !== 'Resolved'),
  );
  if (isConflicted) return 'conflicted';
  if (hasLandedAt(records, branchId, head)) return 'merged';
  const units = records.workUnits.where('branch', branchId);
  return !isOpen && units.length > 0 && units.every(({ status }) => isOver(status)) ? 'evicted' : 'active';
}

/** Whether everything on the branch has landed. */
export function hasLandedAt({ proposals }: Records, branchId: string, head: string): boolean {
  const last = proposals.where('source', branchId).at(-1);
  return last?.status === 'Merged' && last.headCommit === head;
}
