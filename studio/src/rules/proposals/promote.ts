/**
 * Promotion: moves the candidate branch's proposals to the user's own branch, all or nothing.
 *
 * Whether a proposal has arrived is read from the user's branch alone, so the next call makes up for a crash in between.
 */
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { CANDIDATE, type Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { refusal } from '../../reasons.js';
import type { Change } from '../../record/ledger/change.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { advanceMain } from '../branches/advance.js';
import type { Gate, BranchContext } from '../branches/branch-context.js';
import { type StoredBranch, MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import { moveHeld, onBranch, saveHeld } from '../branches/save.js';
import { pendingOn } from './settle-landed.js';
import { onTarget } from './target.js';
import { endTrials } from './trial.js';

/** Runs the recording change, and answers with its result. */
type Answering<T> = (proposalIds: readonly string[], record: (change: Change) => void) => Promise<T>;

/** Promotes. `answer` runs under the mutex: of several promotions at once each proposal is promoted by one. */
export async function promote<T>(
  context: BranchContext,
  repositoryId: string,
  gate: Gate,
  answer: Answering<T>,
): Promise<T> {
  const candidate = await storedBranch(context, CANDIDATE, repositoryId);
  return onTarget(context, candidate, async () => {
    await endTrials(context, candidate);
    return onBranch(context, candidate, async () => {
      const pending = pendingOn(context.records, repositoryId);
      const to = pending.length === 0 ? undefined : await promoteAll(context, candidate, pending, gate);
      const proposalIds = pending.map(({ proposalId }) => proposalId);
      return answer(proposalIds, (change) => {
        if (to === undefined) return;
        for (const proposalId of proposalIds) change.run(mergeProposal, proposalId, 'promote', { commit: to });
      });
    });
  });
}

/** Promotes all; answers the user branch's new commit. */
async function promoteAll(
  context: BranchContext,
  candidate: StoredBranch,
  pending: readonly Proposal[],
  gate: Gate,
): Promise<string> {
  const main = await storedBranch(context, MAIN, candidate.repositoryId);
  const from = await headOf(context, main);
  const warrant = { by: 'proposals', proposalIds: pending.map(({ proposalId }) => proposalId) } as const;
  const to = await onTopOf(context, candidate, from);
  if (to === from) return to;
  if (!(await gate(main.store, to))) throw await redBecauseOf(main.store, from, pending, gate);
  if (await advanceMain(context, main, from, to, warrant)) return to;
  throw refusal('reject.branch_moved', 'the branch of the user was moved meanwhile', { branchId: MAIN });
}

/** Merges the user's new commits into the candidate branch. */
async function onTopOf(context: BranchContext, candidate: StoredBranch, main: string): Promise<string> {
  const { store } = candidate;
  const head = await saveHeld(context, candidate);
  if (await store.isAncestor(main, head)) return head;
  const base = (await store.mergeBase(head, main)) ?? main;
  const merged = await store.merge(base, head, main);
  if (!merged.clean)
    throw refusal('reject.merge_conflict', 'the candidate branch and the branch of the user have changed the same', {
      conflicts: merged.conflicts,
    });
  const message = 'Take over what the user has done';
  const commit = await store.commit({ tree: merged.tree, parents: [head, main], message, at: context.now() });
  await moveHeld(context, candidate, head, commit);
  return commit;
}

/** Bisection: finds the first proposal that fails the gate. */
async function redBecauseOf(
  store: ObjectStore,
  main: string,
  pending: readonly Proposal[],
  gate: Gate,
): Promise<Error> {
  const trains = await trainOf(store, main, pending);
  let [green, red] = [0, trains.length];
  while (red - green > 1) {
    const middle = (green + red) >> 1;
    if (await gate(store, trains[middle - 1]!)) green = middle;
    else red = middle;
  }
  const culprit = pending[red - 1]!;
  return refusal('reject.gate_failed', `the checks fail since ${culprit.proposalId}`, {
    proposalId: culprit.proposalId,
    workUnitId: culprit.workUnitId ?? null,
    passed: pending.slice(0, red - 1).map(({ proposalId }) => proposalId),
  });
}

/** Merge train: for each proposal a commit that has it and all before it. */
async function trainOf(store: ObjectStore, main: string, pending: readonly Proposal[]): Promise<string[]> {
  const commits: string[] = [];
  let last = main;
  for (const { baseCommit, headCommit, proposalId, updatedAt } of pending) {
    const { tree } = await store.merge(baseCommit, last, headCommit);
    last = await store.commit({ tree, parents: [last, headCommit], message: `With ${proposalId}`, at: updatedAt });
    commits.push(last);
  }
  return commits;
}
