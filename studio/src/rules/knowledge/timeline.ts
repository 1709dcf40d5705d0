/** Timeline: one entry for each event of the feed, oldest first. */
import type { Feed, FeedEntry } from '../../record/ledger/feed.js';
import type { Records } from '../../record/views/records.js';
import { eventIdOf } from '../goals/event-id.js';

export interface TimelineEntry {
  readonly eventId: string;
  readonly kind: string;
  readonly entity: string;
  readonly entityId: string;
  readonly workUnitId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly causedByEventId?: string | undefined;
  readonly by: string;
  readonly occurredAt: string;
  readonly payload: Record<string, unknown>;
}

/** Timeline entry of an existing event. */
export function entryAt(feed: Feed, number: number): TimelineEntry {
  return timelineEntry(feed.get(number)!);
}

export function timelineEntry({ number, stored, causedBy }: FeedEntry): TimelineEntry {
  const { aggregate: entity, id: entityId, meta } = stored;
  const { type: _type, v: _v, meta: _meta, ...payload } = fieldsOf(stored.event);
  const { workUnitId, sessionId, at: occurredAt, by } = meta;
  const causedByEventId = causedBy === undefined ? undefined : eventIdOf(causedBy);
  return {
    eventId: eventIdOf(number),
    kind: kindOf(stored.event),
    entity,
    entityId,
    workUnitId,
    sessionId,
    causedByEventId,
    by,
    occurredAt,
    payload,
  };
}

export function kindOf(event: unknown): string {
  const { type } = fieldsOf(event);
  return typeof type === 'string' ? type : 'Unknown';
}

function fieldsOf(event: unknown): Record<string, unknown> {
  return typeof event === 'object' && event !== null ? { ...event } : {};
}

export interface Happened {
  readonly workUnitId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Event numbers of a unit, or else of a branch, or else all; within a session if one is named. Oldest first. */
export function numbersAbout(
  feed: Feed,
  records: Records,
  { workUnitId, branchId, sessionId }: Happened,
): readonly number[] {
  const units = workUnitId === undefined ? unitsOn(records, branchId) : [workUnitId];
  const numbers = units ? feed.numbersOfWorkUnits(units) : Array.from({ length: feed.last }, (_, n) => n + 1);
  if (sessionId === undefined) return numbers;
  const within = new Set(feed.numbersOfSession(sessionId));
  return numbers.filter((number) => within.has(number));
}

function unitsOn({ workUnits }: Records, branchId: string | undefined): string[] | undefined {
  return branchId === undefined ? undefined : workUnits.where('branch', branchId).map(({ workUnitId }) => workUnitId);
}
