/** What a start finds of the run before: whatever was being worked on waits for a person, and is not begun again by itself. */
import { agent } from '../aggregates/agent/agent.js';
import { execution } from '../aggregates/execution/execution.js';
import type { Change } from '../ledger/change.js';
import type { Records } from '../views/records.js';
import { toDeadLetter } from './dead-letters.js';
import { MAX_INTERRUPTIONS, interrupt } from './queue.js';

export function settleAfterStart(change: Change, records: Records): void {
  for (const { resultId } of records.executions.where('status', 'running'))
    change.run(execution, resultId, 'interrupt', {});
  for (const { workUnitId, leasedBy } of records.scheduledItems.where('place', 'leased')) {
    const { interruptions } = interrupt(change, workUnitId);
    if (leasedBy !== undefined && change.state(agent, leasedBy)) change.run(agent, leasedBy, 'interrupt', {});
    if (interruptions < MAX_INTERRUPTIONS) continue;
    const reason = `the host ended ${interruptions} times while this was worked on`;
    toDeadLetter(change, records, { workUnitId, kind: 'Exception', reason, agentId: leasedBy });
  }
}
