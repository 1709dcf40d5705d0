/** Session: one run over a tree of work units, which can be paused, branched, and ends once. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

export const SESSION_STATUSES = ['Active', 'Paused', 'Completed', 'Abandoned'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

const about = { v: z.literal(1), sessionId: z.string() };

const given = z.object({
  rootWorkUnitId: z.string(),
  profileIds: z.array(z.string()),
  modelConfigSnapshotJson: z.string(),
  parentSessionId: z.string().optional(),
  parentEventId: z.string().optional(),
  /** Goal of a branch of the session. */
  goal: z.string().optional(),
});

const event = z.discriminatedUnion('type', [
  given.extend({ type: z.literal('SessionStarted'), ...about }),
  z.object({ type: z.literal('SessionPaused'), ...about }),
  z.object({ type: z.literal('SessionResumed'), ...about }),
  z.object({ type: z.literal('SessionAbandoned'), ...about }),
  z.object({ type: z.literal('SessionCompleted'), ...about }),
  z.object({
    type: z.literal('SessionBranchCreated'),
    ...about,
    childSessionId: z.string(),
    parentSessionId: z.string(),
    parentEventId: z.string().optional(),
  }),
]);
type SessionEvent = z.infer<typeof event>;
type Events = readonly SessionEvent[];
type Given = z.infer<typeof given>;

export interface Session extends Given {
  readonly sessionId: string;
  readonly status: SessionStatus;
  readonly startedAt: string;
  readonly pausedAt?: string;
  readonly completedAt?: string;
}

export const session = aggregate<Session>()({
  name: 'session',
  room: 'workgroup',
  event,
  workUnitOf: ({ rootWorkUnitId }) => rootWorkUnitId,
  sessionOf: ({ sessionId }) => sessionId,
  evolve(state, event, { at }) {
    if (event.type === 'SessionStarted') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, status: 'Active', startedAt: at };
    }
    if (!state) return state;
    const { pausedAt: _paused, ...rest } = state;
    switch (event.type) {
      case 'SessionPaused':
        return { ...rest, status: 'Paused', pausedAt: at };
      case 'SessionResumed':
        return { ...rest, status: 'Active' };
      case 'SessionAbandoned':
        return { ...rest, status: 'Abandoned', completedAt: at };
      case 'SessionCompleted':
        return { ...rest, status: 'Completed', completedAt: at };
      case 'SessionBranchCreated':
        return state;
    }
  },
  decide: {
    start(state, given: Given & { readonly sessionId: string }): Events {
      if (state) throw new Error(`session ${given.sessionId} is there already`);
      return [{ type: 'SessionStarted', v: 1, ...given }];
    },

    pause(state): Events {
      const { sessionId, status } = known(state);
      if (status === 'Paused') return [];
      if (status !== 'Active') throw wrong(sessionId, status, 'paused');
      return [{ type: 'SessionPaused', v: 1, sessionId }];
    },

    resume(state): Events {
      const { sessionId, status } = known(state);
      if (status !== 'Paused') throw wrong(sessionId, status, 'resumed');
      return [{ type: 'SessionResumed', v: 1, sessionId }];
    },

    abandon(state): Events {
      const { sessionId, status } = known(state);
      if (status === 'Abandoned') return [];
      if (status === 'Completed') throw wrong(sessionId, status, 'abandoned');
      return [{ type: 'SessionAbandoned', v: 1, sessionId }];
    },

    /** Completes it: its root has ended. */
    complete(state): Events {
      const { sessionId, status } = known(state);
      return isOver(status) ? [] : [{ type: 'SessionCompleted', v: 1, sessionId }];
    },

    branch(state, { childSessionId, parentEventId }: { childSessionId: string; parentEventId?: string | undefined }) {
      const { sessionId } = known(state);
      return [
        { type: 'SessionBranchCreated', v: 1, sessionId, childSessionId, parentSessionId: sessionId, parentEventId },
      ] as const;
    },
  },
});

export function isOver(status: SessionStatus): boolean {
  return status === 'Completed' || status === 'Abandoned';
}

function known(state: Session | undefined): Session {
  if (!state) throw refusal('reject.session_not_found', 'no session has this id');
  return state;
}

function wrong(sessionId: string, status: SessionStatus, wanted: string): Error {
  return refusal('reject.wrong_state', `a session that is ${status} cannot be ${wanted}`, { sessionId, status });
}
