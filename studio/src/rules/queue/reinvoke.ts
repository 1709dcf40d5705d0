/** Has an orchestrator look at a unit again, and writes down that it was asked to. */
import { orchestrationDecision } from '../../record/aggregates/orchestration-decision/orchestration-decision.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { type Overrides, enqueue, itemOf } from './queue.js';
import { unitOf } from '../../record/views/by-id.js';

/** Who signs for what the host itself decides. */
export const COORDINATOR = 'goal-coordinator';

export function reinvoke(change: Change, records: Records, workUnitId: string, overrides: Overrides): void {
  const { status, currentStage = 'Orchestrate' } = unitOf(records, workUnitId);
  const isThere = itemOf(change, workUnitId) !== undefined;
  if (!isThere && status !== 'Created' && status !== 'Active')
    throw refusal('reject.wrong_state', `work unit ${workUnitId} is ${status}`, { workUnitId, status });
  const { profileId = 'orchestrator', ...choice } = overrides;
  // One that waits for its turn will be looked at then.
  if (!isThere) enqueue(change, records, workUnitId, { profileId, ...choice });
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
