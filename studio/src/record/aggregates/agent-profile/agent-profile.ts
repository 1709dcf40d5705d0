/** Agent profiles: made and changed by people; some are there from the start. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { type Said, changedFields, withFields } from '../fields.js';
import { BUILT_IN_PROFILES } from './built-in.js';
import { type AgentProfile, type ProfileFields, profileFields } from './state.js';

const about = { v: z.literal(1), agentProfileId: z.string() };

const event = z.discriminatedUnion('type', [
  profileFields.extend({ type: z.literal('AgentProfileCreated'), ...about }),
  profileFields.partial().extend({ type: z.literal('AgentProfileChanged'), ...about }),
]);
export type AgentProfileEvent = z.infer<typeof event>;
type Events = readonly AgentProfileEvent[];

type ProfileChange = Said<ProfileFields> & { readonly agentProfileId: string };

export const agentProfile = aggregate<AgentProfile>()({
  name: 'agent-profile',
  room: 'workgroup',
  event,
  evolve(state, event) {
    if (event.type === 'AgentProfileCreated') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? given;
    }
    const { type: _type, v: _v, ...changed } = event;
    const before = state ?? builtIn(event.agentProfileId);
    return before && withFields<AgentProfile>(before, changed);
  },
  decide: {
    /** Upserts the profile. */
    write(state, { agentProfileId, ...wanted }: AgentProfile): Events {
      const before = state ?? builtIn(agentProfileId);
      if (before) return changes(before, wanted);
      return [{ type: 'AgentProfileCreated', v: 1, agentProfileId, ...wanted }];
    },

    change(state, { agentProfileId, ...wanted }: ProfileChange): Events {
      const before = state ?? builtIn(agentProfileId);
      if (!before) throw refusal('reject.profile_not_found', `no profile is called ${agentProfileId}`);
      return changes(before, wanted);
    },
  },
});

function changes(before: AgentProfile, wanted: Omit<ProfileChange, 'agentProfileId'>): Events {
  const changed = changedFields<AgentProfile>(before, wanted);
  if (Object.keys(changed).length === 0) return [];
  return [{ type: 'AgentProfileChanged', v: 1, ...changed, agentProfileId: before.agentProfileId }];
}

export function builtIn(agentProfileId: string): AgentProfile | undefined {
  return BUILT_IN_PROFILES.find((profile) => profile.agentProfileId === agentProfileId);
}
