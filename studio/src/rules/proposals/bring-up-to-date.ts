/**
 * Brings work that cannot land up to date: what the target has is merged into the work's own branch, and whoever did the work goes on in
 * the conversation in which it was proposed.
 *
 * The merge is pinned for the conflict before the branch moves, and the branch moves before it is recorded: whoever comes again after a
 * crash finds it done, and records it.
 */
import { type Conflict, conflict } from '../../record/aggregates/conflict/conflict.js';
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { PROPOSAL_TRANSITIONS } from '../../record/aggregates/merge-proposal/status.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { ModelChoice } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { proposalOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';
import { broughtInRef } from '../../workspace/git/objects/ref-names.js';
import type { BranchContext } from '../branches/branch-context.js';
import { markedTree } from '../branches/marked-tree.js';
import { moveHeld, onBranch, saveHeld } from '../branches/save.js';
import { type StoredBranch, headOf, parentOfMergeBranch, storedBranch } from '../branches/stored-branch.js';
import { isStricter, policyFor } from '../goals/review-policy.js';
import { unitIn } from '../goals/tree.js';
import { moveUnit } from '../queue/move.js';
import { enqueue } from '../queue/queue.js';
import { endConflicts } from '../queue/end-conflicts.js';
import { otherSide } from './other-side.js';
import { type OwnWorker, broughtIn } from './own-worker.js';
import { policyOfBoth } from './policy-of-both.js';

/** Merges the target into the branch of the work. Answers the change that queues its worker; undefined where the folder is gone. */
export async function bringUpToDate(
  context: BranchContext,
  found: Conflict,
  { worker, choice }: { readonly worker: OwnWorker; readonly choice: ModelChoice },
): Promise<((change: Change) => void) | undefined> {
  const { records, disk } = context;
  const { conflictId, proposalId, repositoryId, targetBranch, conflictingPaths } = found;
  const { workUnitId, profileId, run, taskId } = worker;
  const losing = proposalOf(records, proposalId);
  const branch = await storedBranch(context, losing.sourceBranch, repositoryId);
  if (await disk.spaces.isLost(branch)) return undefined;
  const target = await storedBranch(context, targetBranch, repositoryId);
  const both = await onBranch(context, branch, () => mergedHeld(context, branch, target, { found, losing }));
  const { store } = branch;
  const between = { targetBranch, base: losing.baseCommit, to: both.target, paths: conflictingPaths };
  const policy = policyOfBoth(records, found, await otherSide(records, store, between));
  const reachesUser = parentOfMergeBranch(targetBranch) === undefined;
  return (change) => {
    change.run(conflict, conflictId, 'reconcile', { workUnitId, broughtIn: both });
    const isEnough = !isStricter(policy, policyFor(unitIn(change, workUnitId), reachesUser));
    if (!isEnough) change.run(workUnit, workUnitId, 'tighten', { of: reachesUser ? 'workspace' : 'task', ...policy });
    enqueue(change, records, workUnitId, { profileId, taskId, ...choice, continuesRun: run });
  };
}

/** Merge of the target into a branch whose mutex is held, made once for each conflict. */
async function mergedHeld(
  context: BranchContext,
  branch: StoredBranch,
  target: StoredBranch,
  { found, losing }: { readonly found: Conflict; readonly losing: Proposal },
): Promise<{ readonly target: string; readonly commit: string }> {
  const { store } = branch;
  const { conflictId, proposalId, targetBranch, workUnitId = '' } = found;
  const head = await saveHeld(context, branch);
  const ref = broughtInRef(conflictId);
  const pinned = await store.at(ref);
  if (pinned !== undefined && (await store.isAncestor(pinned, head))) {
    const other = await store.resolve(`${pinned}^2`);
    if (other !== undefined) return { target: other, commit: pinned };
  }
  const from = await headOf(context, target);
  const sides = {
    base: losing.baseCommit,
    target: { commit: from, name: targetBranch },
    own: { commit: head, name: workUnitId },
  };
  const { tree } = await markedTree(store, sides);
  const message = `Bring ${targetBranch} into ${branch.branchId}\n\nWeft-Conflict: ${conflictId}\nWeft-Proposal: ${proposalId}`;
  const commit = await store.commit({ tree, parents: [head, from], message, at: context.now() });
  await store.move(ref, pinned, commit);
  await moveHeld(context, branch, head, commit);
  return { target: from, commit };
}

/** A renewed proposal takes the place of those that its unit could not land, but for one that lands after all: that decides of both. */
export function supersedeRenewed(change: Change, records: Records, { proposalId, workUnitId = '' }: Proposal): void {
  for (const { proposalId: before, status } of broughtIn(records, workUnitId)) {
    if (status === 'Resolved') continue;
    const old = change.state(mergeProposal, before);
    if (old?.landing || old?.status === 'Merged') continue;
    if (old && PROPOSAL_TRANSITIONS[old.status].includes('Superseded'))
      change.run(mergeProposal, before, 'supersede', { by: proposalId });
    endConflicts(change, records, before, proposalId);
  }
}

/** Open conflicts that a unit is bringing its own proposal up to date for. */
export function renewing(records: Records, workUnitId: string): string[] {
  return broughtIn(records, workUnitId)
    .filter(({ status }) => status === 'Reconciling')
    .map(({ proposalId }) => proposalId);
}

/** Takes a proposal's own worker off it: somebody else has brought both sides together, or is about to. */
export function takeOver(change: Change, records: Records, workUnitId: string, proposalId: string): void {
  const status = change.state(workUnit, workUnitId)?.status;
  const isAtIt = status === 'Queued' || status === 'Executing' || status === 'Waiting';
  if (isAtIt && renewing(records, workUnitId).includes(proposalId)) moveUnit(change, records, workUnitId, 'Reviewing');
}
