/**
 * Lands an approved proposal on its target: its own changes, and nothing else, on top of whatever the target has by then.
 *
 * First the commit is made, then the record says that it is going to land, then the target moves from where it was seen, then
 * the record says that it has. The commit's bytes follow from the record, so whoever goes on after a crash comes to the same
 * commit, and finds out from the target alone whether it has landed.
 */
import { mergeProposal } from '../aggregates/merge-proposal/merge-proposal.js';
import { CANDIDATE, type Landing, type Proposal } from '../aggregates/merge-proposal/state.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../aggregates/options/options.js';
import { PROPOSAL_TRANSITIONS } from '../aggregates/merge-proposal/status.js';
import type { Change } from '../ledger/change.js';
import { refusal } from '../reasons.js';
import { endConflicts } from '../flows/conflicts.js';
import { proposalOf } from '../flows/review.js';
import type { Records } from '../views/records.js';
import { advanceMain } from './advance.js';
import { recordConflict } from './conflicts.js';
import type { Ground } from './ground.js';
import { type BranchPlace, MAIN, headOf, placeOf } from './place.js';
import { pendingOn } from './promote.js';
import { endReviewed, settleReconciled } from './reconcile.js';
import { moveHeld, onBranch, saveHeld } from './save.js';

/** The target moved under us. So often it is tried anew. */
const ATTEMPTS = 5;

/** `answer` runs the change that records it, before anything else happens to the target. */
export async function apply<T>(
  ground: Ground,
  proposalId: string,
  answer: (record: (change: Change) => Proposal) => Promise<T>,
): Promise<T> {
  const first = proposalOf(ground.records, proposalId);
  const targetBranch = targetOf(ground.records, first);
  requirePerson(ground.records, first, targetBranch);
  const target = await placeOf(ground, targetBranch, first.repositoryId);
  return onBranch(ground, target, async () => {
    const proposal = proposalOf(ground.records, proposalId);
    if (proposal.landing) {
      if (await hasLanded(ground, target, proposal.landing)) return answer(landed(ground.records, proposal));
      await abandon(ground, proposal);
    }
    requireApproved(proposal);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const landing = await compose(ground, target, proposal);
      if (isPromotion(proposal, target) && !(await ground.gate(target.store, landing.to)))
        throw refusal('reject.gate_failed', `the checks fail with ${proposalId}`, { proposalId });
      await ground.change((change) =>
        change.run(mergeProposal, proposalId, 'begin', { ...landing, hostId: change.hostId }),
      );
      if (await land(ground, target, proposal, landing)) return answer(landed(ground.records, proposal));
    }
    throw refusal('reject.branch_moved', `${target.branchId} is moved again and again`, { branchId: target.branchId });
  });
}

/** Ends what was begun before the host went down, one way or the other. */
export async function resume(ground: Ground, proposalId: string): Promise<void> {
  const { landing, repositoryId } = proposalOf(ground.records, proposalId);
  if (!landing) return;
  const target = await placeOf(ground, landing.targetBranch, repositoryId);
  await onBranch(ground, target, async () => {
    const proposal = proposalOf(ground.records, proposalId);
    if (!proposal.landing) return;
    if ((await hasLanded(ground, target, landing)) || (await land(ground, target, proposal, landing)))
      await ground.change(landed(ground.records, proposal));
  });
}

/** The commit that has both, made from what the target has now. */
async function compose(ground: Ground, target: BranchPlace, proposal: Proposal): Promise<Landing> {
  const { store, branchId: targetBranch } = target;
  const { proposalId, baseCommit, headCommit, summary, workUnitId, updatedAt } = proposal;
  const from = await saveHeld(ground, target);
  for (const commit of [baseCommit, headCommit])
    if (!(await store.has(commit)))
      throw refusal('reject.objects_missing', `${commit} of ${proposalId} is not on this host`, { proposalId });
  const merged = await store.merge(baseCommit, from, headCommit);
  if (!merged.clean) throw await recordConflict(ground, { ...proposal, targetBranch }, from, merged.conflicts);
  const said = [`Weft-Proposal: ${proposalId}`, ...(workUnitId === undefined ? [] : [`Weft-Work-Unit: ${workUnitId}`])];
  const message = `${firstLine(summary)}\n\n${said.join('\n')}`;
  const to = await store.commit({ tree: merged.tree, parents: [from, headCommit], message, at: updatedAt });
  return { targetBranch, from, to };
}

/** Answers whether it is there now. When the target cannot move, what was begun is taken back and the reason thrown. */
async function land(ground: Ground, target: BranchPlace, proposal: Proposal, landing: Landing): Promise<boolean> {
  try {
    if (await moveTarget(ground, target, landing)) return true;
  } catch (error) {
    await abandon(ground, proposal);
    throw error;
  }
  await abandon(ground, proposal);
  return false;
}

async function moveTarget(ground: Ground, target: BranchPlace, { from, to }: Landing): Promise<boolean> {
  if (target.branchId === MAIN) return advanceMain(ground, target, from, to);
  if ((await headOf(ground, target)) !== from) return false;
  await moveHeld(ground, target, from, to);
  return true;
}

async function hasLanded(ground: Ground, target: BranchPlace, { to }: Landing): Promise<boolean> {
  const now = await headOf(ground, target);
  return (await target.store.has(to)) && target.store.isAncestor(to, now);
}

async function abandon(ground: Ground, { proposalId }: Proposal): Promise<void> {
  const reason = 'the target did not move';
  await ground.change((change) => change.run(mergeProposal, proposalId, 'abandon', { reason }));
}

function landed(records: Records, { proposalId, workUnitId }: Proposal): (change: Change) => Proposal {
  return (change) => {
    const { landing } = change.state(mergeProposal, proposalId) ?? {};
    const merged = change.run(mergeProposal, proposalId, 'land', { onDisk: landing?.targetBranch === MAIN });
    endConflicts(change, records, proposalId, proposalId);
    settleReconciled(change, records, merged);
    if (workUnitId !== undefined) endReviewed(change, records, workUnitId);
    if (merged.sourceBranch === CANDIDATE && merged.promotedToDisk)
      for (const one of pendingOn(records, merged.repositoryId))
        if (one.updatedAt <= merged.createdAt)
          change.run(mergeProposal, one.proposalId, 'promote', { commit: merged.headCommit });
    return merged;
  };
}

/** What waits on the candidate branch is offered to the user, as any branch may be. It must pass the same checks. */
function isPromotion({ sourceBranch }: Proposal, { branchId }: BranchPlace): boolean {
  return sourceBranch === CANDIDATE && branchId === MAIN;
}

/** What is for the user waits on the candidate branch first, where that is wanted. */
function targetOf(records: Records, { landing, sourceBranch, targetBranch, workUnitId }: Proposal): string {
  if (landing) return landing.targetBranch;
  if (sourceBranch === CANDIDATE) return targetBranch;
  const { usePromotionBranch } = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  const bypasses = records.workUnits.get(workUnitId ?? '')?.bypassPromotionBranch ?? false;
  return usePromotionBranch && targetBranch === MAIN && !bypasses ? CANDIDATE : targetBranch;
}

function requireApproved({ proposalId, status }: Proposal): void {
  if (status === 'Approved') return;
  const possible = PROPOSAL_TRANSITIONS[status];
  throw refusal('reject.wrong_state', `${proposalId} is ${status}; only approved ones land`, {
    proposalId,
    status,
    possible,
  });
}

/** Where people decide, an agent's yes is not enough. */
function requirePerson(
  records: Records,
  { proposalId, workUnitId, status, autoApplied }: Proposal,
  targetBranch: string,
): void {
  if (status !== 'Approved' || !autoApplied) return;
  const unit = records.workUnits.get(workUnitId ?? '');
  const reachesUser = targetBranch === MAIN || targetBranch === CANDIDATE;
  const isWhole = reachesUser || unit?.parentWorkUnitId === undefined;
  // Work that belongs to no unit has nobody who said that agents may decide about it.
  const policy = unit && (isWhole ? unit.workspaceReviewPolicy : unit.taskReviewPolicy);
  if (policy === undefined ? !reachesUser : policy !== 'HumanRequired') return;
  throw refusal('reject.review_required', `a person must approve ${proposalId}`, { proposalId, policy });
}

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? 'Merge').trim().slice(0, 200);
}
