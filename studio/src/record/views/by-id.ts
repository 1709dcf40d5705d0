/** Lookup by id: one record, or a refusal that names what is not there. */
import type { AgentProfile } from '../aggregates/agent-profile/state.js';
import type { Goal } from '../aggregates/goal/goal.js';
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';
import { refusal } from '../../reasons.js';
import type { Records } from './records.js';

export function requireGoal({ goals }: Records, goalId: string): Goal {
  const found = goals.get(goalId);
  if (found) return found;
  throw refusal('reject.goal_not_found', `no goal is called ${goalId}`, { goalId });
}

export function unitOf({ workUnits }: Records, workUnitId: string): WorkUnit {
  const unit = workUnits.get(workUnitId);
  if (unit) return unit;
  throw refusal('reject.workunit_not_found', `no work unit is called ${workUnitId}`, { workUnitId });
}

export function proposalOf({ proposals }: Records, proposalId: string): Proposal {
  const found = proposals.get(proposalId);
  if (found) return found;
  throw refusal('reject.proposal_not_found', `no merge proposal is called ${proposalId}`, { proposalId });
}

export function profileOf({ agentProfiles }: Records, profileId: string): AgentProfile {
  const found = agentProfiles.get(profileId);
  if (found) return found;
  throw refusal('reject.profile_not_found', `no profile is called ${profileId}`, { profileId });
}
