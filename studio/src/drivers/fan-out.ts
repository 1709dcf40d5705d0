/** Fan-out: makes a work unit of each slice of a plan. */
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { isOver } from '../record/aggregates/work-unit/status.js';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import { scopesMeet } from '../rules/branches/in-scope.js';
import { mergeBranchOf } from '../rules/branches/stored-branch.js';
import { createUnit } from '../rules/goals/create-unit.js';
import { type Slice, openSlices } from '../rules/knowledge/slices.js';
import type { Change } from '../record/ledger/change.js';
import type { Records } from '../record/views/records.js';

export function fanOut(change: Change, records: Records, parent: WorkUnit): WorkUnit[] {
  const slices = openSlices(records, parent.workUnitId);
  const siblings = records.workUnits.where('parent', parent.workUnitId);
  const ids = new Map<string, string>();
  // A replanned unit has its slice from the one that it replaces: the last counts.
  for (const { workUnitId, fanOutInfo } of siblings) if (fanOutInfo.sliceId) ids.set(fanOutInfo.sliceId, workUnitId);
  for (const { sliceId } of slices) ids.set(sliceId, change.newId('wu-'));
  const made: WorkUnit[] = [];
  for (const slice of inOrder(slices)) {
    const declared = slice.dependsOn.flatMap((id) => ids.get(id) ?? []);
    const before = [...siblings.filter(({ status }) => !isOver(status)), ...made];
    const fileScope = scopeOf(parent, slice);
    // Slices that may change the same files run one after the other.
    const overlapping = writesFiles(parent) ? before.filter((other) => scopesMeet(other.fileScope, fileScope)) : [];
    const dependsOn = [...new Set([...declared, ...overlapping.map((other) => other.workUnitId)])];
    made.push(createUnit(change, records, partOf(records, parent, slice, ids.get(slice.sliceId)!, dependsOn)));
  }
  change.run(workUnit, parent.workUnitId, 'stage', { stage: 'Execute' });
  return made;
}

function partOf(records: Records, parent: WorkUnit, slice: Slice, workUnitId: string, dependsOn: string[]) {
  const { sliceId, goal, contract, criteria = [], read = [], steps } = slice;
  const { repositoryId = onlyRepository(records) } = parent;
  const metadata = {
    ...(contract === undefined ? {} : { contract }),
    ...(steps.length === 0 ? {} : { steps: steps.map((step, i) => `${i + 1}. ${step}`).join('\n') }),
  };
  return {
    workUnitId,
    goal,
    sliceId,
    fileScope: scopeOf(parent, slice),
    dependsOn,
    parentWorkUnitId: parent.workUnitId,
    owner: parent.owner,
    // Parts produce the same kind of output as the whole.
    expectedOutputKind: parent.expectedOutputKind,
    ...(criteria.length === 0 ? {} : { successCriteria: criteria.map((one) => `- ${one}`).join('\n') }),
    ...(read.length === 0 || repositoryId === undefined
      ? {}
      : { referenceFiles: read.map(({ path, why: note }) => ({ repositoryId, path, note })) }),
    // Results of dependencies are on the branch where the parts are merged.
    seedFromBranchId: dependsOn.length === 0 ? parent.branchId : mergeBranchOf(parent.workUnitId),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(parent.taskReviewHybridTimeoutMinutes === undefined
      ? {}
      : { taskReviewHybridTimeoutMinutes: parent.taskReviewHybridTimeoutMinutes }),
  };
}

function onlyRepository({ repositories }: Records): string | undefined {
  const [only, ...others] = repositories.all();
  return others.length === 0 ? only?.repositoryId : undefined;
}

/** Topological order; otherwise as they were written. A plan has no cycles. */
function inOrder(slices: readonly Slice[]): Slice[] {
  const open = new Map(slices.map((slice) => [slice.sliceId, slice]));
  const ordered: Slice[] = [];
  while (open.size > 0) {
    const next = [...open.values()].find(({ dependsOn }) => !dependsOn.some((id) => open.has(id)));
    // Plans are checked when they are recorded; an unchecked one is followed as it is written.
    const slice = next ?? [...open.values()][0]!;
    ordered.push(slice);
    open.delete(slice.sliceId);
  }
  return ordered;
}

/** Scope of a part; one that its plan does not draw is that of the whole. */
function scopeOf(parent: WorkUnit, { fileScope }: Slice): readonly string[] {
  return fileScope.length === 0 ? parent.fileScope : fileScope;
}

/** Whether what comes of it are changes of files, or may be. */
function writesFiles({ expectedOutputKind }: WorkUnit): boolean {
  return expectedOutputKind !== 'KnowledgeArtifact';
}
