/** Participants: whoever takes part in the work. */
import { z } from 'zod';
import type { FeedEntry } from '../../record/ledger/feed.js';
import { activityOf } from '../../rules/goals/activity.js';
import { agentOf, stopAgent } from '../../rules/people/pause.js';
import { eventIdOf } from '../../rules/goals/event-id.js';
import { operation } from '../kernel/define.js';
import { ENDS, READS } from '../kernel/hints.js';
import { Participant } from '../agents/agent-shape.js';

const Id = z.string().min(1).max(200).describe('Id of a participant.');
/** Events that are searched for a participant's last activity. */
const LOOK_BACK = 200;

export const list = operation({
  summary: 'List the agents that take part, oldest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(Participant),
  rest: { route: 'GET /studio/participants' },
  list: 'id',
  tool: 'participant_list',
  refuses: [],
  annotations: READS,
}).run(({ records }) =>
  records.agents.all().map((one) => ({
    id: one.agentId,
    kind: 'agent' as const,
    status: one.status,
    workUnitId: one.workUnitId,
    currentActivity: activityOf(records, one),
  })),
);

export const stop = operation({
  summary: 'Stop a participant for good.',
  scope: 'operate',
  in: z.object({ id: Id }),
  out: z.object({
    id: z.string().describe('Id of the participant.'),
    stopped: z.boolean().describe('True: it has stopped.'),
  }),
  rest: { route: 'POST /studio/participants/{id}/stop' },
  tool: 'participant_stop',
  human: true,
  refuses: ['reject.agent_not_found'],
  annotations: ENDS,
}).run((context, { id }) =>
  context.answer((change) => {
    stopAgent(change, context.records, id);
    return { id, stopped: true };
  }),
);

export const events = operation({
  summary: `List what a participant did lately, oldest first. It is looked for in the last ${LOOK_BACK} events.`,
  scope: 'read',
  in: z.object({
    id: Id,
    limit: z.number().int().min(1).max(LOOK_BACK).default(50).describe('How many events, of the newest.'),
  }),
  out: z.object({
    participantId: z.string().describe('Id of the participant.'),
    events: z
      .array(
        z.object({
          eventId: z.string().describe('Id of the event.'),
          eventType: z.string().describe('What happened.'),
          occurredAt: z.string().describe('When it happened, ISO 8601.'),
          workUnitId: z.string().optional().describe('Work unit that it is about.'),
        }),
      )
      .describe('The events, oldest first.'),
    count: z.number().describe('How many there are.'),
  }),
  rest: { route: 'GET /studio/participants/{id}/events', query: ['limit'] },
  tool: 'participant_events',
  refuses: ['reject.agent_not_found'],
  annotations: READS,
}).run(({ feed, look }, { id, limit }) => {
  const { agentId } = agentOf(look, id);
  const found = feed.after(Math.max(feed.last - LOOK_BACK, 0)).filter((entry) => isBy(entry, agentId));
  const events = found.slice(-limit).map((entry) => ({
    eventId: eventIdOf(entry.number),
    eventType: nameOf(entry),
    occurredAt: entry.stored.meta.at,
    ...(entry.stored.meta.workUnitId === undefined ? {} : { workUnitId: entry.stored.meta.workUnitId }),
  }));
  return { participantId: agentId, events, count: events.length };
});

const Named = z.object({ type: z.string(), agentId: z.string().optional() });

function isBy({ stored }: FeedEntry, agentId: string): boolean {
  return stored.id === agentId || Named.safeParse(stored.event).data?.agentId === agentId;
}

function nameOf({ stored }: FeedEntry): string {
  return Named.safeParse(stored.event).data?.type ?? '';
}
