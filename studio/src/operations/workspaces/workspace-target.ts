/** Target of a workspace tool: a branch, and the unit that it is used for. */
import type { z } from 'zod';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { type StoredBranch, mergeBranchOf, storedBranch } from '../../rules/branches/stored-branch.js';
import { recordRead } from '../../rules/queue/usage.js';
import { unitOf } from '../../record/views/by-id.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import { reaches } from '../kernel/caller.js';
import type { Context } from '../kernel/context.js';
import { BranchId, FOLDER_REFUSALS, BRANCH_REFUSALS, RepositoryOfBranch } from '../branches/branch-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

/** Input fields of a target. A branch or a unit is needed; models mistype branches, so the unit wins. */
export const TARGET = {
  branchId: BranchId.optional().describe('Branch that is meant. Not needed with workUnitId.'),
  workUnitId: WorkUnitId.optional().describe('Work unit whose branch is meant, whatever branchId says.'),
  repositoryId: RepositoryOfBranch,
};
export type Target = z.output<z.ZodObject<typeof TARGET>>;

export const TARGET_REFUSALS = ['reject.workunit_not_found', ...BRANCH_REFUSALS] as const;

/** Refusals of operations that need the folder of the branch. */
export const OPENING_REFUSALS = ['reject.workspace_gone', ...TARGET_REFUSALS, ...FOLDER_REFUSALS] as const;

/** Refusals of operations that change or run something there. */
export const OWN_REFUSALS = ['reject.branch_of_others', ...OPENING_REFUSALS] as const;

/** Refusals of operations that run programs there. */
const RUNNING_REFUSALS = [
  ...['reject.nothing_to_run', 'reject.program_not_started', 'reject.not_confined', 'reject.path_outside_repository'],
  ...OWN_REFUSALS,
] as const;

/** Refusals of executions, which are stopped when the work on the branch is over. */
export const EXECUTION_REFUSALS = ['reject.execution_stopped', ...RUNNING_REFUSALS] as const;

export interface Found {
  readonly branch: StoredBranch;
  readonly unit: WorkUnit | undefined;
  /** Whether the work on the branch has ended since. Absent for people, who may look at what is over. */
  readonly hasEnded?: () => boolean;
}

export async function targetOf(context: Context, { branchId, workUnitId, repositoryId }: Target): Promise<Found> {
  const { records } = context;
  if (workUnitId !== undefined) {
    const unit = unitOf(records, workUnitId);
    return { branch: await storedBranch(context, unit.branchId, repositoryId ?? unit.repositoryId), unit };
  }
  if (branchId === undefined) {
    const message = 'is needed, or workUnitId';
    throw refusal('reject.invalid_input', `branchId: ${message}`, [{ field: 'branchId', message }]);
  }
  const unit = records.workUnits.where('branch', branchId).find(({ status }) => !isOver(status));
  return { branch: await storedBranch(context, branchId, repositoryId), unit };
}

/** Work unit of the calling agent. */
export function unitOfAgent({ records, caller }: Context): WorkUnit | undefined {
  return records.workUnits.get(records.agents.get(caller.agentId ?? '')?.workUnitId ?? '');
}

/** Target of operations that change or run something: an agent does that on its own branch alone. */
export async function ownTargetOf(context: Context, target: Target): Promise<Found> {
  if (context.caller.kind !== 'agent') return targetOf(context, target);
  const unit = unitOfAgent(context);
  const isNamed = target.branchId !== undefined || target.workUnitId !== undefined;
  const found = await targetOf(context, isNamed || !unit ? target : { ...target, workUnitId: unit.workUnitId });
  const { branchId } = found.branch;
  if (unit && (branchId === unit.branchId || branchId === mergeBranchOf(unit.workUnitId))) {
    const { workUnitId } = unit;
    return { ...found, unit, hasEnded: () => isOver(unitOf(context.records, workUnitId).status) };
  }
  throw refusal('reject.branch_of_others', `${branchId} is not the branch of ${context.caller.name}`, { branchId });
}

/** Records a read of a workspace: it is counted for agents, and the reader may then overwrite what it has read. */
export async function recordLook(
  context: Context,
  paths: readonly string[],
  more: (change: Change) => void,
): Promise<void> {
  const unit = unitOfAgent(context);
  if (!unit && !reaches(context.caller.scope, 'operate')) return;
  await context.change((change) => {
    if (unit && paths.length > 0) recordRead(change, unit.workUnitId, paths);
    more(change);
  });
}

/** Unit to which an agent's searches are counted. */
export function searcherOf(context: Context): string | undefined {
  return unitOfAgent(context)?.workUnitId;
}
