/** Reconciliation of a conflict: by work that merges both sides, or by contents that a person gives. */
import { branch } from '../../record/aggregates/branch/branch.js';
import { type Conflict, conflict } from '../../record/aggregates/conflict/conflict.js';
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { type Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { PROPOSAL_TRANSITIONS } from '../../record/aggregates/merge-proposal/status.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { WorkUnitStatus } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { endConflicts } from '../queue/end-conflicts.js';
import { createUnit } from '../goals/create-unit.js';
import { releaseFiles } from '../queue/file-leases.js';
import { moveUnit } from '../queue/move.js';
import { type Overrides, enqueueAgain } from '../queue/queue.js';
import { proposalOf } from '../../record/views/by-id.js';
import { unitIn } from '../goals/tree.js';
import { baseRef, headRef } from '../../workspace/git/objects/ref-names.js';
import { bringIn } from './bring-in.js';
import { takeOver } from './bring-up-to-date.js';
import { otherSide } from './other-side.js';
import { policyOfBoth } from './policy-of-both.js';
import type { BranchContext } from '../branches/branch-context.js';
import { headOf, parentOfMergeBranch, storedBranch } from '../branches/stored-branch.js';
import { onBranch, saveHeld } from '../branches/save.js';

const RECONCILER = 'reconciler';

export interface Steering {
  readonly steeringNotes?: string | undefined;
  /** Profile and model for it. */
  readonly choice: Overrides;
}

/** Creates a unit that begins with the target, may write exactly the files in conflict, and is queued at once. */
export async function reconcile(
  context: BranchContext,
  found: Conflict,
  { steeringNotes, choice }: Steering,
): Promise<(change: Change) => WorkUnit> {
  const { records } = context;
  const { conflictId, proposalId, targetBranch, repositoryId, conflictingPaths, winningProposalId } = found;
  const losing = proposalOf(records, proposalId);
  const winning = winningProposalId === undefined ? undefined : records.proposals.get(winningProposalId);
  const target = await storedBranch(context, targetBranch, repositoryId);
  const head = await headOf(context, target);
  const seedSnapshotId = await bringIn(target.store, head, losing, { conflictId, at: context.now() });
  const between = { targetBranch, base: losing.baseCommit, to: head, paths: conflictingPaths };
  const { policy, minutes } = policyOfBoth(records, found, await otherSide(records, target.store, between));
  const parentWorkUnitId = parentOfMergeBranch(targetBranch);
  const goal = [
    `Bring together what two pieces of work have changed in ${conflictingPaths.join(', ')}.`,
    ...(winning === undefined ? [] : [`On the branch already: ${winning.goal}`]),
    `To be brought in (commit ${losing.headCommit}): ${losing.goal}`,
    ...(steeringNotes === undefined ? [] : [`A person says: ${steeringNotes}`]),
  ].join('\n\n');
  return (change) => {
    const unit = createUnit(change, records, {
      goal,
      owner: records.workUnits.get(losing.workUnitId ?? '')?.owner ?? 'studio',
      repositoryId,
      seedSnapshotId,
      ...(parentWorkUnitId === undefined
        ? { workspaceReviewPolicy: policy, workspaceReviewHybridTimeoutMinutes: minutes }
        : { parentWorkUnitId, taskReviewPolicy: policy, taskReviewHybridTimeoutMinutes: minutes }),
      fileScope: conflictingPaths,
      reconciliationTargetPaths: [...conflictingPaths],
      reconciliationSourceProposalIds: [proposalId],
      reconciliationSourceRef: headRef(proposalId),
    });
    const { workUnitId } = unit;
    if (losing.workUnitId !== undefined) takeOver(change, records, losing.workUnitId, proposalId);
    change.run(conflict, conflictId, 'reconcile', { workUnitId });
    // Releases the file leases of the losing unit, which would hold them until it lands: this unit writes these files now.
    if (losing.workUnitId !== undefined) releaseFiles(change, records, losing.workUnitId);
    enqueueAgain(change, records, workUnitId, { ...choice, profileId: choice.profileId ?? RECONCILER });
    return unitIn(change, workUnitId);
  };
}

/** Resolves with contents from a person, as a proposal that they have approved. */
export async function resolveWith(
  context: BranchContext,
  { conflictId, proposalId, targetBranch, repositoryId, status }: Conflict,
  files: Readonly<Record<string, string | null>>,
  by: string,
): Promise<(change: Change) => Proposal> {
  if (status === 'Resolved')
    throw refusal('reject.wrong_state', `conflict ${conflictId} is resolved`, { conflictId, status });
  const losing = proposalOf(context.records, proposalId);
  const target = await storedBranch(context, targetBranch, repositoryId);
  const { store } = target;
  return onBranch(context, target, async () => {
    const from = await saveHeld(context, target);
    const merged = await store.merge(losing.baseCommit, from, losing.headCommit);
    const paths = merged.conflicts.map(({ path }) => path);
    const missing = paths.filter((path) => files[path] === undefined);
    const strange = Object.keys(files).filter((path) => !paths.includes(path));
    if (missing.length + strange.length > 0)
      throw refusal('reject.invalid_input', 'files: must be exactly those in conflict', { missing, strange });
    const before = new Set(
      [...(await store.files(from)), ...(await store.files(losing.headCommit))].map(({ path }) => path),
    );
    // Files that the merge has set aside because another one has their path.
    const aside = (await store.files(merged.tree)).filter(({ path }) => !before.has(path) && !paths.includes(path));
    const tree = await store.edit(merged.tree, [
      ...aside.map(({ path }) => ({ path, content: null })),
      ...paths.map((path) => ({ path, content: files[path] ?? null })),
    ]);
    const message = `Resolve ${conflictId}\n\nWeft-Proposal: ${proposalId}`;
    const commit = await store.commit({ tree, parents: [from, losing.headCommit], message, at: context.now() });
    const resolutionId = context.newId('MP-');
    await store.move(baseRef(resolutionId), undefined, from);
    await store.move(headRef(resolutionId), undefined, commit);
    const filesTouched = (await store.changes(from, commit)).map(({ path }) => path);
    const branchId = `task-resolution/${conflictId}/${resolutionId}`;
    return (change) => {
      change.run(branch, branchId, 'create', {
        branchId,
        repositoryId,
        parentId: targetBranch,
        seedSnapshotId: commit,
      });
      const { goal, workUnitId, sessionId } = losing;
      change.run(mergeProposal, resolutionId, 'propose', {
        proposalId: resolutionId,
        sourceBranch: branchId,
        targetBranch,
        repositoryId,
        goal,
        filesTouched,
        summary: `Resolve the conflict of ${proposalId}`,
        changeDescription: losing.changeDescription,
        reconciledFrom: [proposalId],
        baseCommit: from,
        headCommit: commit,
        ...(workUnitId === undefined ? {} : { workUnitId }),
        ...(sessionId === undefined ? {} : { sessionId }),
      });
      change.run(mergeProposal, resolutionId, 'move', { to: 'ReadyForReview' });
      return change.run(mergeProposal, resolutionId, 'approve', { by, automated: false, consideredArtifactIds: [] });
    };
  });
}

/** Supersedes the proposals that a landed one reconciles, transitively. */
export function settleReconciled(change: Change, records: Records, landed: Proposal): void {
  const seen = new Set([landed.proposalId]);
  const open = [...landed.reconciledFrom];
  for (const proposalId of open) {
    if (seen.has(proposalId)) continue;
    seen.add(proposalId);
    const found = change.state(mergeProposal, proposalId);
    if (!found) continue;
    open.push(...found.reconciledFrom);
    if (found.workUnitId !== undefined) takeOver(change, records, found.workUnitId, proposalId);
    if (PROPOSAL_TRANSITIONS[found.status].includes('Superseded'))
      change.run(mergeProposal, proposalId, 'supersede', { by: landed.proposalId });
    endConflicts(change, records, proposalId, landed.proposalId);
    // Its work has landed within the other.
    if (found.workUnitId !== undefined) endLanded(change, records, found.workUnitId);
  }
}

const LANDS: readonly WorkUnitStatus[] = ['Proposed', 'Reviewing', 'DeadLettered'];

/** Ends work whose result has landed, also when it had failed. */
export function endLanded(change: Change, records: Records, workUnitId: string): void {
  const status = change.state(workUnit, workUnitId)?.status;
  if (status === undefined || !LANDS.includes(status)) return;
  moveUnit(change, records, workUnitId, 'Merged');
  change.run(workUnit, workUnitId, 'stage', { stage: null });
}
