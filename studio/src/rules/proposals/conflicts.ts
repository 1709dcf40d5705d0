/** Conflicts of proposals: recorded when a proposal cannot land. */
import { type Conflict, type ConflictKind, conflict } from '../../record/aggregates/conflict/conflict.js';
import { repositoryConflict } from '../../record/aggregates/repository-conflict/repository-conflict.js';
import { CANDIDATE, type Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import type { Conflict as FileConflict } from '../../workspace/git/objects/object-store.js';
import type { BranchContext } from '../branches/branch-context.js';
import { otherSide } from './other-side.js';

/** Files recorded one by one; all of them are in one record. */
const MOST_FILES = 1000;

/** Records a conflict, once for as long as it is open, and answers the refusal that says so. */
export async function recordConflict(
  context: BranchContext,
  proposal: Proposal,
  /** Commit of the target. */
  from: string,
  conflicts: readonly FileConflict[],
): Promise<Error> {
  const { records } = context;
  const { proposalId, targetBranch, repositoryId, workUnitId } = proposal;
  const conflictingPaths = conflicts.map(({ path }) => path);
  const open = records.conflicts.where('proposal', proposalId).find(({ status }) => status !== 'Resolved');
  const conflictId = open?.conflictId ?? context.newId('conflict-');
  const unit = records.workUnits.get(workUnitId ?? '');
  const store = await context.disk.stores.of(repositoryId);
  const between = { targetBranch, base: proposal.baseCommit, to: from, paths: conflictingPaths };
  const winner = open ? undefined : (await otherSide(records, store, between)).landed.at(-1);
  const files =
    open || conflictingPaths.length > MOST_FILES ? [] : await filesIn(context, proposal, from, conflictingPaths);
  await context.change((change) => {
    if (open) return;
    change.run(conflict, conflictId, 'detect', {
      conflictId,
      kind: targetBranch === CANDIDATE ? 'candidate' : 'task',
      proposalId,
      repositoryId,
      targetBranch,
      ...(workUnitId === undefined ? {} : { workUnitId }),
      ...(unit?.parentWorkUnitId === undefined ? {} : { parentWorkUnitId: unit.parentWorkUnitId }),
      ...(winner === undefined ? {} : { winningProposalId: winner.proposalId }),
      conflictingPaths,
    });
    for (const file of files)
      change.run(repositoryConflict, file.conflictId, 'detect', {
        ...file,
        repositoryId,
        mergeConflictId: conflictId,
        opIdA: winner?.proposalId ?? from,
        opIdB: proposalId,
        ...(winner?.workUnitId === undefined ? {} : { workUnitIdA: winner.workUnitId }),
        ...(workUnitId === undefined ? {} : { workUnitIdB: workUnitId }),
      });
  });
  const details = { conflictId, proposalId, targetBranch, conflicts };
  const message = `${proposalId} is in conflict with ${targetBranch} in ${namesOf(conflicts)}: ${conflictId}`;
  return refusal('reject.merge_conflict', message, details);
}

/** Names for the message; all of them are in the details. */
function namesOf(conflicts: readonly FileConflict[]): string {
  const shown = conflicts.slice(0, 3).map(({ path, kind }) => {
    const name = JSON.stringify(path).slice(1, -1);
    return kind === 'driver' ? `${name} (which your git has a program merge)` : name;
  });
  const more = conflicts.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more files` : '');
}

/** Three versions of each file in conflict. */
async function filesIn(
  { disk, newId }: Pick<BranchContext, 'disk' | 'newId'>,
  { repositoryId, baseCommit, headCommit }: Proposal,
  from: string,
  paths: readonly string[],
) {
  const store = await disk.stores.of(repositoryId);
  const idsAt = async (commit: string): Promise<Map<string, string>> =>
    new Map((await store.files(commit)).map(({ path, id }) => [path, id]));
  const [before, atTarget, proposed] = [await idsAt(baseCommit), await idsAt(from), await idsAt(headCommit)];
  return paths.map((path) => {
    const [oldBlobId, blobIdA, blobIdB] = [before.get(path), atTarget.get(path), proposed.get(path)];
    return {
      conflictId: newId('rc-'),
      path,
      ...(oldBlobId === undefined ? {} : { oldBlobId }),
      ...(blobIdA === undefined ? {} : { blobIdA }),
      ...(blobIdB === undefined ? {} : { blobIdB }),
    };
  });
}

export function conflictOf({ conflicts }: Records, conflictId: string, kind: ConflictKind): Conflict {
  const found = conflicts.get(conflictId);
  if (found?.kind === kind) return found;
  throw refusal('reject.conflict_not_found', `no conflict of a ${kind} is called ${conflictId}`, { conflictId });
}
