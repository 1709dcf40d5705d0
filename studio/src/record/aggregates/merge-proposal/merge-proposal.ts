/** Merge proposal: changes of one branch, offered to another. */
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { type ProposalEvent, type ProposalGiven, type RESTART_MODES, proposalEvent } from './events.js';
import { type Landing, type Proposal, type Unfit, evolve } from './state.js';
import { PROPOSAL_TRANSITIONS, type ProposalStatus } from './status.js';

type Events = readonly ProposalEvent[];

export interface Review {
  readonly by: string;
  readonly notes?: string | undefined;
  readonly automated: boolean;
  readonly verificationResults?: string | undefined;
  readonly consideredArtifactIds: readonly string[];
}

export const mergeProposal = aggregate<Proposal>()({
  name: 'merge-proposal',
  room: 'workgroup',
  event: proposalEvent,
  evolve,
  workUnitOf: ({ workUnitId }) => workUnitId,
  decide: {
    propose(state, given: ProposalGiven & { readonly proposalId: string }): Events {
      if (state) throw new Error(`proposal ${given.proposalId} is there already`);
      return [{ type: 'MergeProposed', v: 1, ...given }];
    },

    move(state, { to, reason }: { readonly to: ProposalStatus; readonly reason?: string | undefined }): Events {
      const { proposalId, status } = known(state);
      if (status === to) return [];
      allow(state, to);
      const why = reason === undefined ? {} : { reason };
      return [{ ...told('MergeProposalStatusChanged', proposalId), previousStatus: status, newStatus: to, ...why }];
    },

    approve(state, { by, notes, verificationResults, automated, consideredArtifactIds }: Review): Events {
      // A person may confirm an automatic approval.
      const confirms = state?.status === 'Approved' && state.autoApplied && !automated;
      const { proposalId } = confirms ? settled(state) : allow(state, 'Approved');
      const said = { approvedBy: by, automated, consideredArtifactIds: [...consideredArtifactIds] };
      const more = { ...optional('notes', notes), ...optional('verificationResults', verificationResults) };
      return [{ ...told('ProposalApproved', proposalId), ...said, ...more }];
    },

    reject(
      state,
      { restartMode, ...review }: Review & { readonly restartMode: (typeof RESTART_MODES)[number] },
    ): Events {
      const { proposalId } = settled(allow(state, 'Rejected'));
      // A landed proposal is undone by `takeBack`, not by a review.
      if (known(state).status === 'Merged') throw wrong(known(state), 'Rejected');
      const { by, notes, verificationResults, automated, consideredArtifactIds } = review;
      const said = { rejectedBy: by, automated, consideredArtifactIds: [...consideredArtifactIds], restartMode };
      const more = { ...optional('reason', notes), ...optional('verificationResults', verificationResults) };
      return [{ ...told('ProposalRejected', proposalId), ...said, ...more }];
    },

    supersede(state, { by }: { readonly by: string }): Events {
      if (known(state).status === 'Superseded') return [];
      const { proposalId } = settled(allow(state, 'Superseded'));
      return [{ ...told('ProposalSuperseded', proposalId), supersededBy: by }];
    },

    /** Write-ahead of a landing: recorded before the target moves. */
    begin(state, landing: Landing & { readonly hostId: string }): Events {
      const { proposalId } = settled(allow(state, 'Merged'));
      return [{ ...told('MergeApplyStarted', proposalId), v: 2, ...landing }];
    },

    /** Abandons a landing: the target has moved elsewhere. */
    abandon(state, { reason }: { readonly reason: string }): Events {
      const { proposalId, landing } = known(state);
      return landing ? [{ ...told('MergeApplyAbandoned', proposalId), reason }] : [];
    },

    /** Completes a landing: the target has moved as planned. */
    land(state, { onDisk }: { readonly onDisk: boolean }): Events {
      const { proposalId, landing, status } = known(state);
      if (!landing) {
        if (status === 'Merged') return [];
        throw new Error(`proposal ${proposalId} landed without having begun to`);
      }
      const { targetBranch, to } = landing;
      const result = { resultCommitHash: to, appliedSnapshotId: to, promotedToDisk: onDisk };
      return [{ ...told('MergeApplied', proposalId), targetBranch, ...result }];
    },

    /** Starts a trial; until it ends nothing follows from the landing. */
    tryOut(state, { hostId }: { readonly hostId: string }): Events {
      const { proposalId, status, onTrial } = known(state);
      return status === 'Merged' && !onTrial ? [{ ...told('MergeTrialStarted', proposalId), hostId }] : [];
    },

    pass(state, _given: object): Events {
      const { proposalId, onTrial } = known(state);
      return onTrial ? [told('MergeTrialPassed', proposalId)] : [];
    },

    /** Write-ahead of a take-back: recorded before the target moves. */
    takeBack(state, { targetBranch, from, to, reason, resultId }: Landing & Unfit): Events {
      const { proposalId, onTrial } = known(state);
      if (!onTrial) throw new Error(`proposal ${proposalId} is not on trial`);
      return [{ ...told('MergeTakeBackStarted', proposalId), targetBranch, from, to, reason, resultId }];
    },

    promote(state, { commit }: { readonly commit: string }): Events {
      const { proposalId, promotedToDisk, landedOnCandidateBranch } = known(state);
      if (promotedToDisk || !landedOnCandidateBranch) return [];
      return [{ ...told('ProposalPromoted', proposalId), promotedCommit: commit }];
    },
  },
});

function told<Type extends ProposalEvent['type']>(type: Type, proposalId: string) {
  return { type, v: 1, proposalId } as const;
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, string>>);
}

function known(state: Proposal | undefined): Proposal {
  if (!state) throw refusal('reject.proposal_not_found', 'no merge proposal has this id');
  return state;
}

function allow(state: Proposal | undefined, to: ProposalStatus): Proposal {
  if (PROPOSAL_TRANSITIONS[known(state).status].includes(to)) return known(state);
  throw wrong(known(state), to);
}

function wrong({ proposalId, status }: Proposal, to: ProposalStatus): Error {
  return refusal('reject.wrong_state', `a merge proposal that is ${status} cannot become ${to}`, {
    proposalId,
    status,
    possible: PROPOSAL_TRANSITIONS[status],
  });
}

/** Guard: while it lands nothing else is decided about it. */
function settled(state: Proposal): Proposal {
  if (!state.landing) return state;
  throw refusal('reject.busy', `merge proposal ${state.proposalId} is being applied`, { proposalId: state.proposalId });
}
