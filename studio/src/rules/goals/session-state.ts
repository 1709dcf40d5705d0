/** Point-in-time state of a session: its tree, folded from the log up to an event. */
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Session } from '../../record/aggregates/session/session.js';
import { type WorkUnit, evolve } from '../../record/aggregates/work-unit/state.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Feed } from '../../record/ledger/feed.js';
import type { Records } from '../../record/views/records.js';
import { eventIdOf } from './event-id.js';
import { treeOf } from './tree.js';

/** Events between yields. */
const LOOKED_AT = 1000;

export interface SessionState {
  readonly activeWorkUnitIds: string[];
  readonly activeWorkspaceIds: string[];
  readonly artifactIds: string[];
  readonly completedEventIds: string[];
}

/** Number of the last event before a time; 0 if there is none. All are searched, because clocks jump and the log does not. */
export async function numberAt(feed: Feed, time: number): Promise<number> {
  for (let last = feed.last; last > 0; last -= LOOKED_AT) {
    const some = feed.after(Math.max(last - LOOKED_AT, 0), Math.min(last, LOOKED_AT));
    const found = some.findLast(({ stored }) => Date.parse(stored.meta.at) <= time);
    if (found) return found.number;
    await others();
  }
  return 0;
}

export async function stateAt(feed: Feed, records: Records, session: Session, last: number): Promise<SessionState> {
  const tree = treeOf(records, session.rootWorkUnitId).map(({ workUnitId }) => workUnitId);
  const numbers = feed.numbersOfWorkUnits(tree).filter((number) => number <= last);
  const units = new Map<string, WorkUnit>();
  const artifactIds: string[] = [];
  for (const [n, number] of numbers.entries()) {
    if (n % LOOKED_AT === LOOKED_AT - 1) await others();
    const { stored } = feed.get(number)!;
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
    completedEventIds: numbers.map((number) => eventIdOf(number)),
  };
}

/** Yields to the event loop. */
function others(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
