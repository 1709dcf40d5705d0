/** State of a merge proposal, folded from its events. */
import type { Told } from '../aggregate.js';
import type { ProposalEvent, ProposalGiven, RESTART_MODES } from './events.js';
import type { ProposalStatus } from './status.js';

/** Landing: the commit, and the commit that the target must be at before. */
export interface Landing {
  readonly targetBranch: string;
  readonly from: string;
  readonly to: string;
  /** Host whose branches these are. */
  readonly hostId?: string | undefined;
}

/** Why a landed proposal may not stay, and the execution that shows it. */
export interface Unfit {
  readonly reason: string;
  readonly resultId: string;
}

export interface Proposal extends ProposalGiven {
  readonly proposalId: string;
  readonly status: ProposalStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Landing under way. */
  readonly landing?: Landing;
  /** Trial under way. */
  readonly onTrial?: Pick<Landing, 'hostId'>;
  /** Take-back under way. */
  readonly takingBack?: Landing & Unfit;
  /** Commit by which it was taken back. */
  readonly takenBackBy?: string;
  readonly reviewedBy?: string;
  readonly reviewedAt?: string;
  readonly reviewNotes?: string | undefined;
  readonly verificationResults?: string | undefined;
  readonly consideredArtifactIds: readonly string[];
  readonly restartMode?: (typeof RESTART_MODES)[number];
  readonly supersededBy?: string;
  /** Whether only a machine has reviewed it. */
  readonly autoApplied: boolean;
  /** Times that a machine has approved it. Absent: none. */
  readonly approvals?: number;
  readonly appliedTo?: string;
  readonly resultCommit?: string;
  readonly promotedToDisk: boolean;
  readonly landedOnCandidateBranch: boolean;
}

export const CANDIDATE = 'candidate';

export function evolve(state: Proposal | undefined, event: ProposalEvent, { at }: Told): Proposal | undefined {
  if (event.type === 'MergeProposed') {
    const { type: _type, v: _v, ...given } = event;
    return (
      state ?? {
        ...given,
        status: 'Draft',
        createdAt: at,
        updatedAt: at,
        consideredArtifactIds: [],
        autoApplied: false,
        promotedToDisk: false,
        landedOnCandidateBranch: false,
      }
    );
  }
  return state && { ...changed(state, event, at), updatedAt: at };
}

function changed(state: Proposal, event: Exclude<ProposalEvent, { type: 'MergeProposed' }>, at: string): Proposal {
  switch (event.type) {
    case 'MergeProposalStatusChanged':
      return {
        ...withoutTrial(state),
        ...(state.takingBack && event.newStatus === 'Rejected' && { takenBackBy: state.takingBack.to }),
        status: event.newStatus,
        ...(event.reason === undefined ? {} : { reviewNotes: event.reason }),
      };
    case 'ProposalApproved': {
      const { approvedBy, notes, verificationResults, consideredArtifactIds, automated } = event;
      const said = {
        reviewedBy: approvedBy,
        reviewedAt: at,
        reviewNotes: notes,
        verificationResults,
        consideredArtifactIds,
      };
      const { approvals = 0 } = state;
      return {
        ...state,
        ...said,
        status: 'Approved',
        autoApplied: automated,
        ...(automated && { approvals: approvals + 1 }),
      };
    }
    case 'ProposalRejected': {
      const { rejectedBy, reason, verificationResults, consideredArtifactIds, restartMode } = event;
      const said = {
        reviewedBy: rejectedBy,
        reviewedAt: at,
        reviewNotes: reason,
        verificationResults,
        consideredArtifactIds,
      };
      return { ...state, ...said, status: 'Rejected', restartMode };
    }
    case 'ProposalSuperseded':
      return { ...state, status: 'Superseded', supersededBy: event.supersededBy };
    case 'MergeApplyStarted': {
      const { targetBranch, from, to, hostId } = event;
      return { ...state, landing: { targetBranch, from, to, hostId } };
    }
    case 'MergeApplyAbandoned': {
      const { landing: _landing, ...rest } = state;
      return rest;
    }
    case 'MergeApplied': {
      const { landing: _landing, ...rest } = state;
      const { targetBranch, resultCommitHash, promotedToDisk } = event;
      const landed = { appliedTo: targetBranch, resultCommit: resultCommitHash, promotedToDisk };
      return { ...rest, ...landed, status: 'Merged', landedOnCandidateBranch: targetBranch === CANDIDATE };
    }
    case 'MergeTrialStarted':
      return { ...state, onTrial: { hostId: event.hostId } };
    case 'MergeTrialPassed':
      return withoutTrial(state);
    case 'MergeTakeBackStarted': {
      const { targetBranch, from, to, reason, resultId } = event;
      return { ...state, takingBack: { targetBranch, from, to, reason, resultId } };
    }
    case 'ProposalPromoted':
      return { ...state, promotedToDisk: true };
  }
}

function withoutTrial({ onTrial: _onTrial, takingBack: _takingBack, ...rest }: Proposal): Proposal {
  return rest;
}
