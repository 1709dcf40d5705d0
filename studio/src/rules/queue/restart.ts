/**
 * Recovery at start: work that was leased on this host waits for a person, and is not restarted by itself. Other hosts' work is
 * theirs.
 */
import { agent } from '../../record/aggregates/agent/agent.js';
import { execution } from '../../record/aggregates/execution/execution.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Change } from '../../record/ledger/change.js';
import type { Ledger } from '../../record/ledger/ledger.js';
import type { Records } from '../../record/views/records.js';
import { cancelInParts, cancelThese, openBelowCancelled } from './cancel.js';
import { toDeadLetter } from './dead-letters.js';
import { MAX_INTERRUPTIONS, interrupt } from './queue.js';

/** Runs the recovery, before anybody may do anything. */
export async function takeUpAgain(ledger: Ledger, records: Records): Promise<void> {
  const run = <T>(work: (change: Change) => T): Promise<T> => ledger.change('host', work);
  await run((change) => settleAfterStart(change, records));
  const left = (): WorkUnit[] => openBelowCancelled(records);
  await cancelInParts(run, records, left);
  if (left().length > 0) await run((change) => cancelThese(change, records, left()));
}

export function settleAfterStart(change: Change, records: Records): void {
  for (const { resultId, hostId = change.hostId } of records.executions.where('status', 'running'))
    if (hostId === change.hostId) change.run(execution, resultId, 'interrupt', {});
  for (const { workUnitId, leasedBy, leasedOn = change.hostId } of records.scheduledItems.where('place', 'leased')) {
    if (leasedOn !== change.hostId) continue;
    const { interruptions } = interrupt(change, workUnitId);
    if (leasedBy !== undefined && change.state(agent, leasedBy)) change.run(agent, leasedBy, 'interrupt', {});
    if (interruptions < MAX_INTERRUPTIONS) continue;
    const reason = `the host ended ${interruptions} times while this was worked on`;
    toDeadLetter(change, records, { workUnitId, kind: 'Exception', reason, agentId: leasedBy });
  }
}
