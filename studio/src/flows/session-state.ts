/** A session as it was: its tree, folded from the log up to an event. */
import { isOver } from '../aggregates/work-unit/status.js';
import type { Session } from '../aggregates/session/session.js';
import { type WorkUnit, evolve } from '../aggregates/work-unit/state.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import type { Feed, FeedEntry } from '../ledger/feed.js';
import type { Records } from '../views/records.js';
import { treeOf } from './tree.js';

export interface SessionState {
  readonly activeWorkUnitIds: string[];
  readonly activeWorkspaceIds: string[];
  readonly artifactIds: string[];
  readonly completedEventIds: string[];
}

/** Events are known to callers by their place in the log. */
export function eventId({ number }: FeedEntry): string {
  return `ev-${number}`;
}

/** The number that an id of an event stands for, if there is such an event. */
export function eventNumber(feed: Feed, id: string): number | undefined {
  const number = Number(/^ev-([1-9]\d{0,14})$/.exec(id)?.[1]);
  return feed.get(number) === undefined ? undefined : number;
}

/** The number of the last event that was there at a time; 0 if none was. Clocks jump, the log does not, so all are looked at. */
export function numberAt(feed: Feed, time: number): number {
  return feed.findLast(({ stored }) => Date.parse(stored.meta.at) <= time)?.number ?? 0;
}

export function stateAt(feed: Feed, records: Records, session: Session, last: number): SessionState {
  const entries = treeOf(records, session.rootWorkUnitId)
    .flatMap(({ workUnitId }) => feed.ofWorkUnit(workUnitId))
    .filter(({ number }) => number <= last)
    .sort((a, b) => a.number - b.number);
  const units = new Map<string, WorkUnit>();
  const artifactIds: string[] = [];
  for (const { stored } of entries) {
    if (stored.aggregate === workUnit.name) {
      const event = workUnit.event.safeParse(stored.event).data;
      const unit = event && evolve(units.get(stored.id), event, stored.meta);
      if (unit) units.set(stored.id, unit);
    } else if (stored.aggregate === 'artifact' && stored.position === 0) artifactIds.push(stored.id);
  }
  const active = [...units.values()].filter(({ status }) => !isOver(status));
  return {
    activeWorkUnitIds: active.map(({ workUnitId }) => workUnitId),
    activeWorkspaceIds: [...new Set(active.map(({ workspaceId }) => workspaceId))],
    artifactIds,
    completedEventIds: entries.map(eventId),
  };
}
