/**
 * Dead letter: a failed work unit, with the reason, the number of attempts and what was done about it. Each failure is an entry
 * of its own.
 */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

export const FAILURE_KINDS = [
  'Exception',
  'MaxIterationsExceeded',
  'Stalled',
  'MissingCredentials',
  'ProgressNotVerified',
  'ReviewRejected',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export const RESOLUTIONS = ['Retried', 'RetriedWithContext', 'Continued', 'Replanned', 'Cancelled', 'Landed'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

const about = { v: z.literal(1), entryId: z.string(), workUnitId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('WorkUnitFailed'),
    ...about,
    agentId: z.string().optional(),
    failureReason: z.string(),
    kind: z.enum(FAILURE_KINDS),
    stage: z.string().optional(),
    profileId: z.string(),
    taskId: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    baseUrl: z.string().optional(),
    credentialRef: z.string().optional(),
    lenientToolParsing: z.boolean().optional(),
    lastProjectionSnapshot: z.string().optional(),
    attemptCount: z.number(),
    maxAttemptsReached: z.boolean(),
  }),
  z.object({
    type: z.literal('DeadLetterResolved'),
    ...about,
    /** Version 1 did not know work that lands although it had failed. */
    v: z.union([z.literal(1), z.literal(2)]),
    resolution: z.enum(RESOLUTIONS),
    steeringContext: z.string().optional(),
    newWorkUnitIds: z.array(z.string()).optional(),
  }),
]);
type DeadLetterEvent = z.infer<typeof event>;
type Events = readonly DeadLetterEvent[];
type Failed = Omit<Extract<DeadLetterEvent, { type: 'WorkUnitFailed' }>, 'type' | 'v'>;
type Resolved = Omit<Extract<DeadLetterEvent, { type: 'DeadLetterResolved' }>, 'type' | 'v' | 'entryId' | 'workUnitId'>;

export interface DeadLetter extends Omit<Failed, 'failureReason'> {
  readonly reason: string;
  readonly occurredAt: string;
  readonly resolution?: Resolution;
  readonly resolvedAt?: string;
}

export const deadLetter = aggregate<DeadLetter>()({
  name: 'dead-letter',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'WorkUnitFailed') {
      const { type: _type, v: _v, failureReason: reason, ...given } = event;
      return state ?? { ...given, reason, occurredAt: at };
    }
    return state && { ...state, resolution: event.resolution, resolvedAt: at };
  },
  decide: {
    fail(state, given: Failed): Events {
      if (state) throw new Error(`dead letter ${given.entryId} is there already`);
      return [{ type: 'WorkUnitFailed', v: 1, ...given }];
    },

    resolve(state, resolved: Resolved): Events {
      const { entryId, workUnitId } = unresolved(state);
      return [{ type: 'DeadLetterResolved', v: 2, entryId, workUnitId, ...resolved }];
    },
  },
});

/** Guard: refuses an entry that was resolved already. */
export function unresolved(state: DeadLetter | undefined): DeadLetter {
  if (!state) throw refusal('reject.dead_letter_not_found', 'no dead letter has this id');
  if (state.resolution === undefined) return state;
  throw refusal('reject.wrong_state', `this failure was dealt with already: ${state.resolution}`, {
    entryId: state.entryId,
    resolution: state.resolution,
  });
}
