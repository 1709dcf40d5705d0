/** Replay: what happened, event by event, on all branches or on one. Nothing is done again by looking at it. */
import { z } from 'zod';
import { eventIdOf, eventNumber, eventsOfBranch, timelineEntry } from '../knowledge/timeline.js';
import type { Feed, FeedEntry } from '../ledger/feed.js';
import { refusal } from '../reasons.js';
import { operation } from './define.js';
import { READS } from './hints.js';
import { Shown } from './pages.js';
import { BranchId } from './shapes/branch.js';
import { TimelineEntry } from './shapes/decision.js';

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
}).run(({ feed }) => {
  const all = Array.from({ length: feed.last }, (_, n) => ({ eventId: eventIdOf(n + 1), number: n + 1 }));
  return Shown.of(all, ({ number }) => timelineEntry(feed.get(number)!));
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
}).run(({ feed, records }, { branchId }) => eventsOfBranch(feed, records, branchId).map(timelineEntry));

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
}).run(({ feed, records }, { branchId, fromNode, toNode }) => {
  const from = fromNode === undefined ? 1 : entryOf(feed, fromNode).number;
  const to = toNode === undefined ? feed.last : entryOf(feed, toNode).number;
  const entries = eventsOfBranch(feed, records, branchId).filter(({ number }) => number >= from && number <= to);
  return { branchId, nodes: entries.map(timelineEntry) };
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
}).run(({ feed, records }, { branchId, nodeId }) => {
  const entries = eventsOfBranch(feed, records, branchId);
  const kinds = new Map<string, number>();
  for (const entry of entries) {
    const { kind } = timelineEntry(entry);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const [first, last] = [entries.at(0), entries.at(-1)];
  return {
    branchId,
    workUnitIds: records.workUnits.where('branch', branchId).map(({ workUnitId }) => workUnitId),
    ...{ eventCount: entries.length, kinds: Object.fromEntries(kinds) },
    firstEventId: first && eventIdOf(first.number),
    lastEventId: last && eventIdOf(last.number),
    node: nodeId === undefined ? undefined : timelineEntry(entryOf(feed, nodeId)),
  };
});

function entryOf(feed: Feed, eventId: string): FeedEntry {
  const found = feed.get(eventNumber(eventId) ?? 0);
  if (found) return found;
  throw refusal('reject.event_not_found', `no event is called ${eventId}`, { eventId });
}
