/** What work with a forge needs: branches, remotes, and the forge itself. */
import type { ForgeConnection } from '../../record/aggregates/forge/forge.js';
import type { Contribution } from '../../record/aggregates/contribution/contribution.js';
import type { Goal } from '../../record/aggregates/goal/goal.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { type WorkUnitStatus, isOver } from '../../record/aggregates/work-unit/status.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import type { Forge } from '../../workspace/forges/forge.js';
import type { HostSecret } from '../../workspace/git/calls/run-git.js';
import type { BranchContext } from '../branches/branch-context.js';
import type { Reaching } from '../branches/remotes.js';
import { MAIN } from '../branches/stored-branch.js';

export interface ForgeContext extends BranchContext, Reaching {
  forgeOf(connection: ForgeConnection): Forge;
  /** Token of a connection, for git over HTTP. */
  secretOf(connection: ForgeConnection): Promise<HostSecret | undefined>;
}

export function connectionOf({ forges }: Records, repositoryId: string): ForgeConnection {
  const found = forges.get(repositoryId);
  if (found) return found;
  throw refusal('reject.forge_not_connected', `repository ${repositoryId} is connected to no forge`, { repositoryId });
}

/** Newest proposal of a goal for the user's branch. */
export function newestProposal(records: Records, { workUnitId }: Goal): Proposal | undefined {
  return records.proposals
    .where('workUnit', workUnitId)
    .filter(({ targetBranch }) => targetBranch === MAIN)
    .at(-1);
}

/** Result of a goal that forges may be shown: it waits for people or for its landing, and its work is not over. */
export function resultToOffer(records: Records, goal: Goal): Proposal | undefined {
  const proposal = newestProposal(records, goal);
  return proposal && isOffered(proposal) && !endedAs(records, goal) ? proposal : undefined;
}

/** How the work on a goal has ended, whatever it has proposed; undefined while something of it may land. */
export function endedAs({ workUnits }: Records, { workUnitId }: Goal): WorkUnitStatus | undefined {
  const status = workUnits.get(workUnitId)?.status;
  return status !== undefined && isOver(status) ? status : undefined;
}

/** Whether it waits for people, or for its landing. */
export function isOffered({ status }: Pick<Proposal, 'status'>): boolean {
  return status === 'ReadyForReview' || status === 'UnderReview' || status === 'Approved';
}

export function goalOfContribution({ goals }: Records, { goalId }: Contribution): Goal {
  const found = goals.get(goalId);
  if (found) return found;
  throw refusal('reject.goal_not_found', `no goal is called ${goalId}`, { goalId });
}
