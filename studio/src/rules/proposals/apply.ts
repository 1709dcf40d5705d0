/**
 * Landing of an approved proposal: its own changes, and nothing else, on top of whatever the target has by then.
 *
 * Write-ahead: the commit is made, the record says that it is going to land, the target moves by compare and swap, the record
 * says that it has landed. The commit's bytes follow from the record, so recovery after a crash computes the same commit, and
 * sees from the target alone whether it has landed.
 */
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { CANDIDATE, type Landing, type Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { DEFAULT_OPTIONS, OPTIONS_ID, type Options } from '../../record/aggregates/options/options.js';
import { PROPOSAL_TRANSITIONS } from '../../record/aggregates/merge-proposal/status.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import { proposalOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';
import { takeOver } from './bring-up-to-date.js';
import { recordConflict } from './conflicts.js';
import type { BranchContext } from '../branches/branch-context.js';
import { type StoredBranch, MAIN, storedBranch } from '../branches/stored-branch.js';
import { onBranch, saveHeld } from '../branches/save.js';
import { requireDecided } from '../branches/user-law.js';
import { requireChecked } from '../goals/required-checks.js';
import { settleLanded } from './settle-landed.js';
import { hasLanded, moveTarget, onTarget } from './target.js';
import { endTrials, pass, tryOut } from './trial.js';

/** Retries when the target moves meanwhile. */
const ATTEMPTS = 5;

type Mode = Options['postMergeExecutionMode'];

/** Runs the recording change, and answers with its result. */
type Answering<T> = (record: (change: Change) => Proposal) => Promise<T>;

/**
 * Lands a proposal. `answer` is called once the landing is final: after the trial of the target, where one is due, which throws
 * when the landing was taken back.
 */
export async function apply<T>(context: BranchContext, proposalId: string, answer: Answering<T>): Promise<T> {
  const { records } = context;
  const first = proposalOf(records, proposalId);
  const targetBranch = targetOf(records, first);
  requireWanted(records, first);
  requireDecided(context, first, targetBranch);
  if (first.status === 'Approved' && !first.landing) {
    await context.atForge.askChecks(first);
    requireChecked(records, first);
    if (targetBranch === MAIN && (await context.atForge.merge(first)))
      return answer(() => proposalOf(records, proposalId));
  }
  const target = await storedBranch(context, targetBranch, first.repositoryId);
  return onTarget(context, target, async () => {
    await endTrials(context, target);
    const { postMergeExecutionMode: mode } = optionsOf(records);
    if (mode === 'Blocking') {
      const onTrial = await landOn(context, target, proposalId, mode, (record) => context.change(record));
      await tryOut(context, target, onTrial);
      return answer((change) => pass(change, records, proposalId));
    }
    const answered = await landOn(context, target, proposalId, mode, answer);
    if (mode === 'Async') context.trials.watchLanding(context, proposalOf(records, proposalId));
    return answered;
  });
}

function landOn<T>(
  context: BranchContext,
  target: StoredBranch,
  proposalId: string,
  mode: Mode,
  answer: Answering<T>,
): Promise<T> {
  return onBranch(context, target, async () => {
    const proposal = proposalOf(context.records, proposalId);
    const record = landed(context.records, proposalId, mode);
    if (proposal.landing) {
      if (await hasLanded(context, target, proposal.landing)) return answer(record);
      await abandon(context, proposal);
    }
    requireApproved(proposal);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const landing = await compose(context, target, proposal);
      if (isPromotion(proposal, target) && !(await context.gate(target.store, landing.to)))
        throw refusal('reject.gate_failed', `the checks fail with ${proposalId}`, { proposalId });
      await context.change((change) =>
        change.run(mergeProposal, proposalId, 'begin', { ...landing, hostId: change.hostId }),
      );
      if (await land(context, target, proposal, landing)) return answer(record);
    }
    throw refusal('reject.branch_moved', `${target.branchId} is moved again and again`, { branchId: target.branchId });
  });
}

/** Recovery: completes or abandons a landing that was under way when the host went down. */
export async function resume(context: BranchContext, proposalId: string): Promise<void> {
  const { records } = context;
  const { landing, repositoryId, targetBranch, appliedTo = targetBranch } = proposalOf(records, proposalId);
  const target = await storedBranch(context, landing?.targetBranch ?? appliedTo, repositoryId);
  await onTarget(context, target, async () => {
    await onBranch(context, target, async () => {
      const proposal = proposalOf(records, proposalId);
      if (!landing || !proposal.landing) return;
      if ((await hasLanded(context, target, landing)) || (await land(context, target, proposal, landing)))
        await context.change(landed(records, proposalId, optionsOf(records).postMergeExecutionMode));
    });
    await endTrials(context, target);
  });
}

/** Composes the landing: a commit of the proposal's changes on the target's present head. */
async function compose(context: BranchContext, target: StoredBranch, proposal: Proposal): Promise<Landing> {
  const { store, branchId: targetBranch } = target;
  const { proposalId, baseCommit, headCommit, summary, workUnitId, updatedAt } = proposal;
  const from = await saveHeld(context, target);
  for (const commit of [baseCommit, headCommit])
    if (!(await store.has(commit)))
      throw refusal('reject.objects_missing', `${commit} of ${proposalId} is not on this host`, { proposalId });
  const merged = await store.merge(baseCommit, from, headCommit);
  if (!merged.clean) throw await recordConflict(context, { ...proposal, targetBranch }, from, merged.conflicts);
  const said = [`Weft-Proposal: ${proposalId}`, ...(workUnitId === undefined ? [] : [`Weft-Work-Unit: ${workUnitId}`])];
  const message = `${firstLine(summary)}\n\n${said.join('\n')}`;
  const to = await store.commit({ tree: merged.tree, parents: [from, headCommit], message, at: updatedAt });
  return { targetBranch, from, to };
}

/**
 * Moves the target; answers whether it has the commit now. When the target cannot move, the landing is abandoned and the reason
 * thrown.
 */
async function land(
  context: BranchContext,
  target: StoredBranch,
  proposal: Proposal,
  landing: Landing,
): Promise<boolean> {
  try {
    if (await moveTarget(context, target, landing, { by: 'proposals', proposalIds: [proposal.proposalId] }))
      return true;
  } catch (error) {
    await abandon(context, proposal);
    throw error;
  }
  await abandon(context, proposal);
  return false;
}

async function abandon(context: BranchContext, { proposalId }: Proposal): Promise<void> {
  const reason = 'the target did not move';
  await context.change((change) => change.run(mergeProposal, proposalId, 'abandon', { reason }));
}

function landed(records: Records, proposalId: string, mode: Mode): (change: Change) => Proposal {
  return (change) => {
    const { landing } = change.state(mergeProposal, proposalId) ?? {};
    const merged = change.run(mergeProposal, proposalId, 'land', { onDisk: landing?.targetBranch === MAIN });
    if (mode !== 'Blocking') return settleLanded(change, records, merged);
    // Nobody brings up to date what is on trial.
    if (merged.workUnitId !== undefined) takeOver(change, records, merged.workUnitId, proposalId);
    return change.run(mergeProposal, proposalId, 'tryOut', { hostId: change.hostId });
  };
}

/** Promotion by proposal: the candidate branch may be proposed to the user like any branch, and must pass the same gate. */
function isPromotion({ sourceBranch }: Proposal, { branchId }: StoredBranch): boolean {
  return sourceBranch === CANDIDATE && branchId === MAIN;
}

/** Target of a landing: the candidate branch comes before the user's, where that is wanted. */
function targetOf(records: Records, { landing, sourceBranch, targetBranch, workUnitId }: Proposal): string {
  if (landing) return landing.targetBranch;
  if (sourceBranch === CANDIDATE) return targetBranch;
  const { usePromotionBranch } = optionsOf(records);
  const bypasses = records.workUnits.get(workUnitId ?? '')?.bypassPromotionBranch ?? false;
  return usePromotionBranch && targetBranch === MAIN && !bypasses ? CANDIDATE : targetBranch;
}

/** Refuses what belongs to work that is cancelled. A landing that has begun goes on. */
function requireWanted({ workUnits }: Records, { proposalId, workUnitId = '', landing }: Proposal): void {
  const status = workUnits.get(workUnitId)?.status;
  if (status !== 'Cancelled' || landing) return;
  throw refusal('reject.wrong_state', `${workUnitId} is cancelled: queue it again before ${proposalId} lands`, {
    proposalId,
    status,
  });
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

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? 'Merge').trim().slice(0, 200);
}

function optionsOf({ options }: Records): Options {
  return options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
}
