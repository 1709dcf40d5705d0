/** Agent: works on a unit, or will as soon as the unit has its turn. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

const about = { v: z.literal(1), agentId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('AgentSpawned'),
    ...about,
    agentType: z.string(),
    workUnitId: z.string(),
    profileId: z.string(),
    taskId: z.string().optional(),
    autoReviewProfileId: z.string().optional(),
    enabledDomainAgents: z.array(z.string()).optional(),
    /** Models by stage; keys are only named. */
    stageModels: z
      .record(
        z.string(),
        z.object({
          provider: z.string().optional(),
          model: z.string().optional(),
          baseUrl: z.string().optional(),
          credentialRef: z.string().optional(),
          lenientToolParsing: z.boolean().optional(),
        }),
      )
      .optional(),
  }),
  z.object({ type: z.literal('AgentPaused'), ...about }),
  z.object({ type: z.literal('AgentResumed'), ...about }),
  z.object({ type: z.literal('AgentStopped'), ...about, reason: z.string().optional() }),
  z.object({ type: z.literal('AgentFailed'), ...about, message: z.string() }),
  /** The host ended while the agent worked. */
  z.object({ type: z.literal('AgentInterrupted'), ...about }),
  z.object({ type: z.literal('AgentActivityChanged'), ...about, activity: z.string().nullable() }),
]);
type AgentEvent = z.infer<typeof event>;
type Events = readonly AgentEvent[];
type Given = Omit<Extract<AgentEvent, { type: 'AgentSpawned' }>, 'type' | 'v'>;

export type AgentStatus = 'active' | 'paused' | 'stopped' | 'Interrupted' | `failed:${string}`;

export interface Agent extends Given {
  readonly status: AgentStatus;
  readonly currentActivity?: string;
}

/** Length limit of an error message in the status. */
const MESSAGE = 80;

export const agent = aggregate<Agent>()({
  name: 'agent',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event) {
    if (event.type === 'AgentSpawned') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { status: 'active', ...given };
    }
    if (!state) return state;
    const { currentActivity: _activity, ...rest } = state;
    switch (event.type) {
      case 'AgentPaused':
        return { ...state, status: 'paused' };
      case 'AgentResumed':
        return { ...state, status: 'active' };
      case 'AgentStopped':
        return { ...rest, status: 'stopped' };
      case 'AgentFailed':
        return { ...rest, status: `failed:${event.message.slice(0, MESSAGE)}` };
      case 'AgentInterrupted':
        return { ...rest, status: 'Interrupted' };
      case 'AgentActivityChanged':
        return event.activity === null ? rest : { currentActivity: event.activity, ...rest };
    }
  },
  decide: {
    spawn(state, given: Given): Events {
      if (state) throw new Error(`agent ${given.agentId} is there already`);
      return [{ type: 'AgentSpawned', v: 1, ...given }];
    },

    pause(state): Events {
      const { agentId, status } = known(state);
      if (status === 'paused') return [];
      if (status !== 'active') throw wrong(agentId, status, 'paused');
      return [{ type: 'AgentPaused', v: 1, agentId }];
    },

    resume(state): Events {
      const { agentId, status } = known(state);
      if (status === 'active') return [];
      if (status !== 'paused' && status !== 'Interrupted') throw wrong(agentId, status, 'resumed');
      return [{ type: 'AgentResumed', v: 1, agentId }];
    },

    stop(state, { reason }: { readonly reason?: string }): Events {
      const { agentId, status } = known(state);
      // A failed agent has stopped already, and keeps saying why.
      if (status === 'stopped' || status.startsWith('failed:')) return [];
      return [{ type: 'AgentStopped', v: 1, agentId, ...(reason === undefined ? {} : { reason }) }];
    },

    fail(state, { message }: { readonly message: string }): Events {
      const { agentId, status } = known(state);
      return status === 'stopped' ? [] : [{ type: 'AgentFailed', v: 1, agentId, message }];
    },

    interrupt(state): Events {
      const { agentId, status } = known(state);
      return status === 'active' ? [{ type: 'AgentInterrupted', v: 1, agentId }] : [];
    },

    act(state, { activity }: { readonly activity: string | null }): Events {
      const { agentId, currentActivity = null } = known(state);
      return currentActivity === activity ? [] : [{ type: 'AgentActivityChanged', v: 1, agentId, activity }];
    },
  },
});

function known(state: Agent | undefined): Agent {
  if (!state) throw refusal('reject.agent_not_found', 'no agent has this id');
  return state;
}

function wrong(agentId: string, status: AgentStatus, wanted: string): Error {
  return refusal('reject.wrong_state', `an agent that is ${status} cannot be ${wanted}`, { agentId, status });
}
