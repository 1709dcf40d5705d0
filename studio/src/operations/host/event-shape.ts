/** Events, as callers see them: what happened, when, through whom, and what it follows from. */
import { z } from 'zod';
import type { FeedEntry } from '../../record/ledger/feed.js';
import { eventIdOf } from '../../rules/goals/event-id.js';

export const EventId = z
  .string()
  .regex(/^ev-[1-9]\d{0,14}$/)
  .describe('Id of the event: "ev-" and its number.');

export const ExecutionEvent = z
  .object({
    eventId: EventId,
    sessionId: z.string().optional().describe('Session that it belongs to.'),
    workUnitId: z.string().optional().describe('Work unit that it is about.'),
    kind: z.string().describe('What happened.'),
    payloadJson: z.string().describe('The particulars, as JSON text; they depend on the kind.'),
    causedByEventId: z.string().optional().describe('Event that it follows from.'),
    occurredAt: z.string().describe('When it happened, ISO 8601.'),
    by: z.string().describe('Through whom: the name of a token, or of a part of the host.'),
  })
  .meta({ id: 'ExecutionEvent', description: 'Something that happened.' });
export type ExecutionEvent = z.infer<typeof ExecutionEvent>;

const Stored = z.looseObject({ type: z.string(), v: z.unknown(), meta: z.unknown() });

export function shownEvent({ number, stored, causedBy }: FeedEntry): ExecutionEvent {
  const { type: kind, v: _v, meta: _meta, ...payload } = Stored.safeParse(stored.event).data ?? { type: 'Unknown' };
  const { at, by, sessionId, workUnitId } = stored.meta;
  return {
    eventId: eventIdOf(number),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(workUnitId === undefined ? {} : { workUnitId }),
    kind,
    payloadJson: JSON.stringify(payload),
    ...(causedBy === undefined ? {} : { causedByEventId: eventIdOf(causedBy) }),
    occurredAt: at,
    by,
  };
}
