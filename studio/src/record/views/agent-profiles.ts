/** Agent profiles: the built-in ones, and those that were made. */
import { type AgentProfile } from '../aggregates/agent-profile/state.js';
import { type AgentProfileEvent, agentProfile, builtIn } from '../aggregates/agent-profile/agent-profile.js';
import { BUILT_IN_PROFILES } from '../aggregates/agent-profile/built-in.js';
import { Collection } from '../ledger/collection.js';

export class AgentProfiles extends Collection<AgentProfile, AgentProfileEvent> {
  constructor() {
    super(agentProfile);
  }

  override get(id: string): AgentProfile | undefined {
    return super.get(id) ?? builtIn(id);
  }

  override all(): AgentProfile[] {
    const first = BUILT_IN_PROFILES.map(({ agentProfileId }) => this.get(agentProfileId)!);
    return [...first, ...super.all().filter(({ agentProfileId }) => !builtIn(agentProfileId))];
  }
}
