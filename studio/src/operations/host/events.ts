/** Events: past ones, and the live stream. */
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import { unitOf } from '../../record/views/by-id.js';
import { eventById } from '../../rules/goals/event-id.js';
import { sessionOf } from '../../rules/goals/session-of.js';
import { goalOf } from '../../rules/goals/tree.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { EventId, ExecutionEvent, shownEvent } from './event-shape.js';

const Id = z.string().min(1).max(200);

export const follow = operation({
  summary: 'Follow the events as they happen, as server-sent events, from wherever one left off.',
  scope: 'read',
  in: z.object({
    after: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of the last event that the caller has: what came after it comes first. Last-Event-ID says the same, and ' +
          'wins. Default: only what happens from now on.',
      ),
    sessionId: Id.optional().describe('Only events of this session.'),
    workUnitId: Id.optional().describe('Only events about this work unit.'),
    goalId: Id.optional().describe('Only events about this goal and everything below it.'),
    speech: z
      .boolean()
      .optional()
      .describe(
        'Whether what agents say comes while they say it, as `speech` with workUnitId, agentId, logId, text and startsOver. It has no ' +
          'number and is stored nowhere: the cycle logId has the whole answer later. Default: no.',
      ),
  }),
  out: ExecutionEvent,
  rest: { route: 'GET /studio/events', query: ['after', 'sessionId', 'workUnitId', 'goalId', 'speech'] },
  refuses: ['reject.workunit_not_found', 'reject.goal_not_found'],
  annotations: READS,
}).follow(({ records, feed, look }, { after, sessionId, workUnitId, goalId, speech }) => {
  if (workUnitId !== undefined) unitOf(records, workUnitId);
  if (goalId !== undefined && !records.goals.get(goalId))
    throw refusal('reject.goal_not_found', `no goal is called ${goalId}`, { goalId });
  return {
    after: after ?? feed.last,
    wants: JSON.stringify([sessionId, workUnitId, goalId]),
    isWanted: ({ stored: { meta } }) =>
      (sessionId === undefined || meta.sessionId === sessionId) &&
      (workUnitId === undefined || meta.workUnitId === workUnitId) &&
      (goalId === undefined || goalOf(look, meta.workUnitId ?? '')?.goalId === goalId),
    ...(speech === true && {
      hears: (id: string) =>
        (workUnitId === undefined || id === workUnitId) &&
        (goalId === undefined || goalOf(look, id)?.goalId === goalId) &&
        (sessionId === undefined || sessionOf(look, records, id) === sessionId),
    }),
    show: shownEvent,
  };
});

export const get = operation({
  summary: 'Read one event.',
  scope: 'read',
  in: z.object({ eventId: EventId }),
  out: ExecutionEvent,
  rest: { route: 'GET /studio/events/{eventId}' },
  refuses: ['reject.event_not_found'],
  annotations: READS,
}).run(({ feed }, { eventId }) => {
  const entry = eventById(feed, eventId);
  if (entry) return shownEvent(entry);
  throw refusal('reject.event_not_found', `no event is called ${eventId}`, { eventId });
});

export const ofSession = operation({
  summary: 'List the events of a session, oldest first.',
  scope: 'read',
  in: z.object({
    sessionId: Id.describe('Id of the session.'),
    since: z
      .string()
      .max(100)
      .optional()
      .describe('Only events from this time on, ISO 8601. Ignored if it is no time.'),
  }),
  out: z.array(ExecutionEvent),
  rest: { route: 'GET /studio/sessions/{sessionId}/events', query: ['since'] },
  list: 'eventId',
  refuses: [],
  annotations: READS,
}).run(({ feed }, { sessionId, since = '' }) => {
  const from = Date.parse(since);
  const events = feed.ofSession(sessionId).map(shownEvent);
  return Number.isNaN(from) ? events : events.filter(({ occurredAt }) => Date.parse(occurredAt) >= from);
});

export const types = operation({
  summary: 'List the kinds of events that may happen.',
  scope: 'read',
  in: z.object({}),
  out: z.object({ eventTypes: z.array(z.string()).describe('Kinds of events, sorted.') }),
  rest: { route: 'GET /studio/event-types' },
  tool: 'event_types',
  refuses: [],
  annotations: READS,
}).run(({ records }) => {
  const told = Object.values(records)
    .map(({ aggregate }) => aggregate)
    .filter(({ room, quiet }) => room === 'workgroup' && !quiet);
  return { eventTypes: [...new Set(told.flatMap(({ event }) => kindsOf(event)))].sort() };
});

function kindsOf(event: z.core.$ZodType): string[] {
  if (event instanceof z.ZodDiscriminatedUnion) return event.options.flatMap(kindsOf);
  if (!(event instanceof z.ZodObject)) return [];
  const { type } = event.shape as Readonly<Record<string, z.core.$ZodType>>;
  return type instanceof z.ZodLiteral ? [...type.values].map(String) : [];
}
