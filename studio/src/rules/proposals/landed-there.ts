/**
 * Landing that happened elsewhere: people have merged a proposal at a forge, which is their word for it. Here its commit comes to
 * the user's branch as it came there, by the same write-ahead as a landing of this host's own.
 */
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { refusal } from '../../reasons.js';
import { proposalOf } from '../../record/views/by-id.js';
import { onBranch } from '../branches/save.js';
import type { BranchContext } from '../branches/branch-context.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import { approve } from './review.js';
import { settleLanded } from './settle-landed.js';
import { hasLanded, moveTarget, onTarget } from './target.js';

interface Merged {
  /** Commit that it came into its base as. */
  readonly commit: string;
  /** Who merged it. */
  readonly by: string;
}

export interface MergedThere extends Merged {
  /** Commit that the base is at there, which is in the store. */
  readonly tip: string;
}

export interface MergedBeside extends Merged {
  /** Base as it is seen here, such as `origin/release`. */
  readonly branch: string;
}

/** Lands it, and answers true; false for what was decided otherwise here. Refused while the user's branch cannot go there. */
export async function landThere(context: BranchContext, proposalId: string, merged: MergedThere): Promise<boolean> {
  const { records } = context;
  const { repositoryId } = proposalOf(records, proposalId);
  const target = await storedBranch(context, MAIN, repositoryId);
  return onTarget(context, target, () =>
    onBranch(context, target, async () => {
      const { status, autoApplied, landing: begun } = proposalOf(records, proposalId);
      if (status === 'Merged') return true;
      if (status === 'Rejected' || status === 'Superseded') return false;
      const { store } = target;
      const from = begun?.from ?? (await headOf(context, target));
      const to = begun?.to ?? ((await store.isAncestor(merged.commit, from)) ? from : merged.tip);
      if (!(await store.isAncestor(from, to)))
        throw refusal(
          'reject.branch_moved',
          'the branch of the user has commits that are not there: merge them with git',
          {
            branchId: MAIN,
            at: from,
            there: to,
          },
        );
      if (begun === undefined)
        await context.change((change) => {
          const review = { by: merged.by, automated: false, consideredArtifactIds: [] };
          if (status !== 'Approved' || autoApplied) approve(change, proposalId, review);
          change.run(mergeProposal, proposalId, 'begin', { targetBranch: MAIN, from, to, hostId: change.hostId });
        });
      const landing = { targetBranch: MAIN, from, to };
      const abandon = async (): Promise<void> => {
        await context.change((change) =>
          change.run(mergeProposal, proposalId, 'abandon', { reason: 'the branch of the user did not move' }),
        );
      };
      const isThere =
        (await hasLanded(context, target, landing)) ||
        (await moveTarget(context, target, landing, { by: 'forge', proposalId }).catch(async (error: unknown) => {
          await abandon();
          throw error;
        }));
      if (!isThere) {
        await abandon();
        throw refusal('reject.branch_moved', 'the branch of the user was moved meanwhile', { branchId: MAIN });
      }
      await context.change((change) =>
        settleLanded(change, records, change.run(mergeProposal, proposalId, 'land', { onDisk: true })),
      );
      return true;
    }),
  );
}

/**
 * Records what was merged there into another branch than the one that the user's own follows. That work is done; since nothing moves here,
 * it is one change, without a write-ahead.
 */
export async function landBeside(context: BranchContext, proposalId: string, merged: MergedBeside): Promise<void> {
  const { records } = context;
  const { commit, branch, by } = merged;
  const target = await storedBranch(context, MAIN, proposalOf(records, proposalId).repositoryId);
  // A landing here that is under way ends first.
  await onTarget(context, target, () =>
    context.change((change) => {
      const { status, autoApplied, baseCommit: from } = proposalOf(records, proposalId);
      if (status === 'Merged' || status === 'Rejected' || status === 'Superseded') return;
      if (status !== 'Approved' || autoApplied)
        approve(change, proposalId, { by, automated: false, consideredArtifactIds: [] });
      const landing = { targetBranch: branch, from, to: commit, hostId: change.hostId };
      change.run(mergeProposal, proposalId, 'begin', landing);
      settleLanded(change, records, change.run(mergeProposal, proposalId, 'land', { onDisk: false }));
    }),
  );
}
