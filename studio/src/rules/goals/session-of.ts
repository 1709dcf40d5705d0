/** Session of a unit: the newest open one of the nearest ancestor that has one. */
import { isOver } from '../../record/aggregates/session/session.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
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

/**
 * Guard: a session that a caller names is one that the work is a part of. To which session something belongs follows from its work
 * unit, so a name could only be wrong. Work without a unit is part of any session that there is.
 */
export function requireSession(
  change: Pick<Change, 'state'>,
  records: Records,
  sessionId: string | undefined,
  workUnitId?: string,
): void {
  if (sessionId === undefined) return;
  if (!records.sessions.get(sessionId))
    throw refusal('reject.session_not_found', `no session is called ${sessionId}`, { sessionId });
  if (workUnitId === undefined) return;
  const line = lineOf(change, workUnitId);
  const spans = line.some((unit) =>
    sessionsAt(change, records, unit.workUnitId).some((one) => one.sessionId === sessionId),
  );
  if (spans) return;
  throw refusal('reject.session_not_found', `work unit ${workUnitId} is no part of session ${sessionId}`, {
    sessionId,
    workUnitId,
  });
}
