/** Creates a work unit; one without a parent is the root of a goal, which is created with it. */
import { requireBranchName } from '../../record/aggregates/branch-name.js';
import { goal } from '../../record/aggregates/goal/goal.js';
import type { WorkUnitGiven } from '../../record/aggregates/work-unit/events.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { newestFor, unitIn } from './tree.js';

type Optional = 'taskReviewPolicy' | 'workspaceReviewPolicy' | 'bypassPromotionBranch' | 'expectedOutputKind';

export interface NewUnit extends Omit<WorkUnitGiven, 'branchId' | 'dependsOn' | 'fileScope' | Optional> {
  /** Id. Default: a new one. */
  readonly workUnitId?: string;
  readonly branchId?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly fileScope?: readonly string[] | undefined;
  readonly taskReviewPolicy?: WorkUnitGiven['taskReviewPolicy'] | undefined;
  readonly workspaceReviewPolicy?: WorkUnitGiven['workspaceReviewPolicy'] | undefined;
  readonly bypassPromotionBranch?: boolean | undefined;
  readonly expectedOutputKind?: WorkUnitGiven['expectedOutputKind'] | undefined;
}

export function createUnit(change: Change, records: Records, wanted: NewUnit): WorkUnit {
  const { parentWorkUnitId, repositoryId, dependsOn = [] } = wanted;
  if (wanted.goal.trim() === '')
    throw refusal('reject.invalid_input', 'goal: says nothing', [{ field: 'goal', message: 'says nothing' }]);
  if (parentWorkUnitId === undefined && wanted.replacesWorkUnitId === undefined && change.by.startsWith('agent:'))
    throw refusal('reject.human_only', 'an agent makes parts of its own work; a goal is for people to set');
  const parent = parentWorkUnitId === undefined ? undefined : unitIn(change, parentWorkUnitId);
  if (parent && isOver(parent.status))
    throw refusal('reject.wrong_state', `work unit ${parent.workUnitId} is ${parent.status}`, {
      workUnitId: parent.workUnitId,
      status: parent.status,
    });
  if (repositoryId !== undefined && !records.repositories.get(repositoryId))
    throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`, { repositoryId });
  for (const id of dependsOn) unitIn(change, id);
  if (wanted.branchId !== undefined) requireBranchName(wanted.branchId, 'branchId');
  const { workUnitId = change.newId('wu-') } = wanted;
  const given: WorkUnitGiven & { workUnitId: string } = {
    ...wanted,
    workUnitId,
    branchId: wanted.branchId ?? change.newId('work-'),
    // What was planned anew is not waited for, but what takes its place.
    dependsOn: [...new Set(dependsOn.map((id) => newestFor(records, id)))],
    fileScope: [...(wanted.fileScope ?? [])],
    // A part inherits the review and landing policy of the whole.
    taskReviewPolicy: wanted.taskReviewPolicy ?? parent?.taskReviewPolicy ?? 'HumanRequired',
    workspaceReviewPolicy: wanted.workspaceReviewPolicy ?? parent?.workspaceReviewPolicy ?? 'HumanRequired',
    bypassPromotionBranch: wanted.bypassPromotionBranch ?? parent?.bypassPromotionBranch ?? false,
    expectedOutputKind: wanted.expectedOutputKind ?? 'FileChange',
    ...(repositoryId === undefined && parent?.repositoryId !== undefined ? { repositoryId: parent.repositoryId } : {}),
  };
  if (parent) requireNoCircle(change, records, { parent, dependsOn: given.dependsOn });
  const unit = change.run(workUnit, workUnitId, 'create', given);
  // The replacement of a root belongs to the existing goal.
  if (parent || wanted.replacesWorkUnitId !== undefined) return unit;
  const { branchId, owner } = given;
  change.run(goal, workUnitId, 'create', {
    workUnitId,
    goal: wanted.goal,
    branchId,
    owner,
    ...(repositoryId === undefined ? {} : { repositoryId }),
  });
  return unit;
}

/** Guard: what a part depends on does not wait for the part itself, as all that it is a part of does. */
function requireNoCircle(
  change: Change,
  records: Records,
  { parent, dependsOn }: { readonly parent: WorkUnit; readonly dependsOn: readonly string[] },
): void {
  const wholes = new Set<string>();
  for (let whole: WorkUnit | undefined = parent; whole && !wholes.has(whole.workUnitId);) {
    wholes.add(whole.workUnitId);
    whole = whole.parentWorkUnitId === undefined ? undefined : change.state(workUnit, whole.parentWorkUnitId);
  }
  for (const dependency of dependsOn) {
    const waits = new Set([dependency]);
    for (const id of waits) {
      const unit = change.state(workUnit, id);
      if (!unit || isOver(unit.status)) continue;
      if (wholes.has(id))
        throw refusal('reject.waits_for_itself', `${dependency} waits for ${id}, which the unit would be a part of`, {
          dependsOn: dependency,
          waitsFor: id,
        });
      for (const needed of unit.dependsOn) waits.add(newestFor(records, needed));
      for (const part of records.workUnits.where('parent', id)) waits.add(part.workUnitId);
    }
  }
}
