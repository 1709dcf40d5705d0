/** Session of a unit: the newest open one of the nearest ancestor that has one. */
import { isOver } from '../../record/aggregates/session/session.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { lineOf, sessionsAt } from './tree.js';

export function sessionOf(change: Pick<Change, 'state'>, records: Records, workUnitId: string): string | undefined {
  for (const unit of lineOf(change, workUnitId)) {
    const sessions = sessionsAt(change, records, unit.workUnitId);
    const found = sessions.findLast(({ status }) => !isOver(status)) ?? sessions.at(-1);
    if (found) return found.sessionId;
  }
  return undefined;
}
