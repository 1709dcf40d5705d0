/** Replay: past events, one by one, on all branches or on one. It only reads. */
import { z } from 'zod';
import { eventById, eventIdOf } from '../../rules/goals/event-id.js';
import { entryAt, numbersAbout, timelineEntry } from '../../rules/knowledge/timeline.js';
import type { Feed, FeedEntry } from '../../record/ledger/feed.js';
import { inTurns } from '../../record/ledger/in-turns.js';
import { refusal } from '../../reasons.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { Shown } from '../kernel/pages.js';
import { BranchId } from '../branches/branch-shape.js';
import { TimelineEntry } from './decision-shape.js';

const EventId = z.string().min(1).max(40).describe('Id of an event, as the timeline has it.');

export const timeline = operation({
  summary: 'List everything that happened, oldest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(TimelineEntry),
  rest: { route: 'GET /studio/replay/timeline' },
  list: 'eventId',
  refuses: [],
  annotations: READS,
}).run(({ feed, records }) => {
  return listed(feed, numbersAbout(feed, records, {}));
});

export const branchTimeline = operation({
  summary: 'List what happened to the work on one branch, oldest first.',
  scope: 'read',
  in: z.object({ branchId: BranchId }),
  out: z.array(TimelineEntry),
  rest: { route: 'GET /studio/replay/timeline/{branchId}' },
  list: 'eventId',
  refuses: [],
  annotations: READS,
}).run(({ feed, records }, { branchId }) => listed(feed, numbersAbout(feed, records, { branchId })));

export const range = operation({
  summary: 'Show what happened on one branch from one event to another.',
  scope: 'read',
  in: z.object({
    branchId: BranchId,
    fromNode: EventId.optional().describe('First event to show. Default: the first there is.'),
    toNode: EventId.optional().describe('Last event to show. Default: the newest.'),
  }),
  out: z.object({
    branchId: z.string().describe('Id of the branch.'),
    nodes: z.array(TimelineEntry).describe('What happened, oldest first.'),
  }),
  rest: { route: 'GET /studio/replay/range/{branchId}', query: ['fromNode', 'toNode'] },
  tool: 'replay_range',
  refuses: ['reject.event_not_found'],
  annotations: READS,
}).run(async ({ feed, records }, { branchId, fromNode, toNode }) => {
  const from = fromNode === undefined ? 1 : entryOf(feed, fromNode).number;
  const to = toNode === undefined ? feed.last : entryOf(feed, toNode).number;
  const meant = numbersAbout(feed, records, { branchId }).filter((number) => number >= from && number <= to);
  return { branchId, nodes: await inTurns(meant, (number) => entryAt(feed, number)) };
});

export const inspect = operation({
  summary: 'Say what happened on one branch in short, and one event of it whole.',
  scope: 'read',
  in: z.object({ branchId: BranchId, nodeId: EventId.optional().describe('Event to show whole.') }),
  out: z.object({
    branchId: z.string().describe('Id of the branch.'),
    workUnitIds: z.array(z.string()).describe('Work units on it.'),
    eventCount: z.number().describe('How much happened.'),
    kinds: z.record(z.string(), z.number()).describe('How often each kind of event happened.'),
    firstEventId: z.string().optional().describe('Where it began.'),
    lastEventId: z.string().optional().describe('Where it stands.'),
    node: TimelineEntry.optional().describe('The event that was asked for.'),
  }),
  rest: { route: 'GET /studio/replay/inspect/{branchId}', query: ['nodeId'] },
  tool: 'replay_inspect',
  refuses: ['reject.event_not_found'],
  annotations: READS,
}).run(async ({ feed, records }, { branchId, nodeId }) => {
  const numbers = numbersAbout(feed, records, { branchId });
  const kinds = new Map<string, number>();
  await inTurns(numbers, (number) => {
    const { kind } = entryAt(feed, number);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  });
  const [first, last] = [numbers.at(0), numbers.at(-1)];
  return {
    branchId,
    workUnitIds: records.workUnits.where('branch', branchId).map(({ workUnitId }) => workUnitId),
    eventCount: numbers.length,
    kinds: Object.fromEntries(kinds),
    firstEventId: first === undefined ? undefined : eventIdOf(first),
    lastEventId: last === undefined ? undefined : eventIdOf(last),
    node: nodeId === undefined ? undefined : timelineEntry(entryOf(feed, nodeId)),
  };
});

function listed(feed: Feed, numbers: readonly number[]) {
  const all = numbers.map((number) => ({ eventId: eventIdOf(number), number }));
  return Shown.of(all, ({ number }) => entryAt(feed, number));
}

function entryOf(feed: Feed, eventId: string): FeedEntry {
  const found = eventById(feed, eventId);
  if (found) return found;
  throw refusal('reject.event_not_found', `no event is called ${eventId}`, { eventId });
}
