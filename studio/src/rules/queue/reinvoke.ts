/** Queues a unit for an orchestrator again, with a log entry. */
import { orchestrationDecision } from '../../record/aggregates/orchestration-decision/orchestration-decision.js';
import { scheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { type Overrides, enqueue, itemOf } from './queue.js';
import { unitOf } from '../../record/views/by-id.js';

/** Name under which the host's own decisions are recorded. */
export const COORDINATOR = 'goal-coordinator';

export function reinvoke(change: Change, records: Records, workUnitId: string, overrides: Overrides): void {
  const { status, currentStage = 'Orchestrate' } = unitOf(records, workUnitId);
  const item = itemOf(change, workUnitId);
  const isThere = item !== undefined;
  if (!isThere && status !== 'Created' && status !== 'Active')
    throw refusal('reject.wrong_state', `work unit ${workUnitId} is ${status}`, { workUnitId, status });
  const { profileId = item?.profileId ?? 'orchestrator', ...choice } = overrides;
  if (item && profileId !== item.profileId)
    throw refusal('reject.wrong_state', `work unit ${workUnitId} is in the queue for the profile ${item.profileId}`, {
      workUnitId,
      status,
    });
  // A queued unit will be looked at anyway, by the model that is named now.
  if (item) change.run(scheduledItem, workUnitId, 'equip', choice);
  else enqueue(change, records, workUnitId, { profileId, ...choice });
  const eventId = change.newId('od-');
  change.run(orchestrationDecision, eventId, 'record', {
    eventId,
    workUnitId,
    orchestratorAgentId: COORDINATOR,
    inputStage: currentStage,
    spawnedIds: [],
    action: isThere ? 'NoOp' : 'Enqueue',
    reason: `asked for by ${change.by}`,
    inputProjectionSnapshot: JSON.stringify({ status: change.state(workUnit, workUnitId)?.status }),
  });
}
