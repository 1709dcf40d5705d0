/** What happened, as the feed tells it: one entry for each event, oldest first. */
import type { Feed, FeedEntry } from '../ledger/feed.js';
import type { Records } from '../views/records.js';

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

export function timelineEntry({ number, stored, causedBy }: FeedEntry): TimelineEntry {
  const { aggregate: entity, id: entityId, meta } = stored;
  const { type: _type, v: _v, meta: _meta, ...payload } = fieldsOf(stored.event);
  const { workUnitId, sessionId, at: occurredAt, by } = meta;
  const causedByEventId = causedBy === undefined ? undefined : eventIdOf(causedBy);
  return {
    ...{ eventId: eventIdOf(number), kind: kindOf(stored.event), entity, entityId, workUnitId, sessionId },
    ...{ causedByEventId, by, occurredAt, payload },
  };
}

export function kindOf(event: unknown): string {
  const { type } = fieldsOf(event);
  return typeof type === 'string' ? type : 'Unknown';
}

function fieldsOf(event: unknown): Record<string, unknown> {
  return typeof event === 'object' && event !== null ? { ...event } : {};
}

export function eventIdOf(number: number): string {
  return `ev-${number}`;
}

/** Undefined for what is no id of an event. */
export function eventNumber(eventId: string): number | undefined {
  const [, digits] = /^ev-([1-9]\d{0,14})$/.exec(eventId) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

export interface Happened {
  readonly workUnitId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** What happened to a unit, or else on a branch, or else at all; of one session if it is named. */
export function eventsAbout(
  feed: Feed,
  records: Records,
  { workUnitId, branchId, sessionId }: Happened,
): readonly FeedEntry[] {
  const entries =
    workUnitId !== undefined
      ? feed.ofWorkUnit(workUnitId)
      : branchId !== undefined
        ? eventsOfBranch(feed, records, branchId)
        : feed.after(0);
  return sessionId === undefined ? entries : entries.filter(({ stored }) => stored.meta.sessionId === sessionId);
}

/** All that happened to the units of a branch, in the order in which it happened. */
export function eventsOfBranch(feed: Feed, records: Records, branchId: string): FeedEntry[] {
  return eventsOf(feed, records.workUnits.where('branch', branchId));
}

/** The same of some units. */
export function eventsOf(feed: Feed, units: readonly { readonly workUnitId: string }[]): FeedEntry[] {
  const entries = units.flatMap(({ workUnitId }) => feed.ofWorkUnit(workUnitId));
  return entries.toSorted((a, b) => a.number - b.number);
}
