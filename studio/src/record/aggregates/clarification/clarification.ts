/** Clarification: a question of an agent that a person answers. It is answered once, or abandoned. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

export const TIMEOUT_BEHAVIORS = ['auto_continue', 'auto_abandon'] as const;
export type TimeoutBehavior = (typeof TIMEOUT_BEHAVIORS)[number];

const about = { v: z.literal(1), requestId: z.string(), workUnitId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ClarificationRequested'),
    ...about,
    question: z.string(),
    context: z.string().optional(),
    blocking: z.boolean(),
    options: z.array(z.string()),
    requestedByAgentId: z.string().optional(),
    sessionId: z.string().optional(),
    timeoutSeconds: z.number().optional(),
    timeoutBehavior: z.enum(TIMEOUT_BEHAVIORS).optional(),
    defaultResponse: z.string().optional(),
  }),
  z.object({
    type: z.literal('ClarificationResponded'),
    ...about,
    response: z.string(),
    note: z.string().optional(),
    respondedBy: z.string().optional(),
    resumed: z.boolean(),
  }),
  z.object({ type: z.literal('ClarificationAbandoned'), ...about, reason: z.string() }),
  /** The work resumes without an answer, which may still come. */
  z.object({ type: z.literal('ClarificationUnblocked'), ...about }),
]);
type ClarificationEvent = z.infer<typeof event>;
type Events = readonly ClarificationEvent[];
type Requested = Omit<Extract<ClarificationEvent, { type: 'ClarificationRequested' }>, 'type' | 'v'>;
type Responded = Omit<
  Extract<ClarificationEvent, { type: 'ClarificationResponded' }>,
  'type' | 'v' | keyof typeof about
>;

export interface Clarification extends Requested {
  readonly status: 'open' | 'answered' | 'abandoned';
  readonly requestedAt: string;
  /** Deadline, after which the default is the answer. */
  readonly timeoutAt?: string;
  readonly response?: string;
  readonly responseNote?: string | undefined;
  readonly respondedBy?: string | undefined;
  readonly respondedAt?: string;
  readonly resumed?: boolean;
}

export const clarification = aggregate<Clarification>()({
  name: 'clarification',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'ClarificationRequested') {
      const { type: _type, v: _v, ...given } = event;
      const { timeoutSeconds } = given;
      const due = timeoutSeconds === undefined ? {} : { timeoutAt: later(at, timeoutSeconds) };
      return state ?? { ...given, ...due, status: 'open', requestedAt: at };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ClarificationResponded': {
        const { response, note: responseNote, respondedBy, resumed } = event;
        return { ...state, status: 'answered', response, responseNote, respondedBy, respondedAt: at, resumed };
      }
      case 'ClarificationAbandoned':
        return { ...state, status: 'abandoned' };
      case 'ClarificationUnblocked':
        return { ...state, blocking: false };
    }
  },
  decide: {
    request(state, given: Requested): Events {
      if (state) throw new Error(`clarification ${given.requestId} is there already`);
      return [{ type: 'ClarificationRequested', v: 1, ...given }];
    },

    respond(state, given: Responded): Events {
      const { requestId, workUnitId, status } = known(state);
      if (status !== 'open')
        throw refusal('reject.clarification_closed', `this question is ${status}`, { requestId, status });
      return [{ type: 'ClarificationResponded', v: 1, requestId, workUnitId, ...given }];
    },

    abandon(state, { reason }: { readonly reason: string }): Events {
      const { requestId, workUnitId, status } = known(state);
      return status === 'open' ? [{ type: 'ClarificationAbandoned', v: 1, requestId, workUnitId, reason }] : [];
    },

    unblock(state): Events {
      const { requestId, workUnitId, status, blocking } = known(state);
      return status === 'open' && blocking ? [{ type: 'ClarificationUnblocked', v: 1, requestId, workUnitId }] : [];
    },
  },
});

function known(state: Clarification | undefined): Clarification {
  if (!state) throw refusal('reject.clarification_not_found', 'no clarification has this id');
  return state;
}

function later(at: string, seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString();
}
