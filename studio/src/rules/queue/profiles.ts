/** Agent profiles by their id. */
import type { AgentProfile } from '../../record/aggregates/agent-profile/agent-profile.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';

export function profileOf({ agentProfiles }: Records, profileId: string): AgentProfile {
  const found = agentProfiles.get(profileId);
  if (found) return found;
  throw refusal('reject.profile_not_found', `no profile is called ${profileId}`, { profileId });
}
