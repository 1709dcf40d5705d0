/** Spawns an agent for a unit. Workers queue the unit; others only watch. */
import { type Agent, agent } from '../../record/aggregates/agent/agent.js';
import type { ModelChoice, Schedule } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { profileOf } from '../../record/views/by-id.js';
import { enqueue, itemOf } from './queue.js';
import { requireOpen } from './set-status.js';

export interface Wanted extends Schedule {
  readonly agentType: string;
  readonly workUnitId: string;
  readonly autoReviewProfileId?: string | undefined;
  readonly enabledDomainAgents?: string[] | undefined;
  readonly stageModels?: Record<string, ModelChoice> | undefined;
}

export function spawn(change: Change, records: Records, wanted: Wanted): Agent {
  const { agentType, workUnitId, autoReviewProfileId, enabledDomainAgents, stageModels, ...schedule } = wanted;
  requireOpen(change, records, workUnitId);
  const profile = profileOf(records, schedule.profileId);
  const agentId = change.newId('agent-');
  const spawned = change.run(agent, agentId, 'spawn', {
    agentId,
    agentType,
    workUnitId,
    profileId: profile.agentProfileId,
    taskId: schedule.taskId,
    autoReviewProfileId,
    enabledDomainAgents,
    stageModels,
  });
  const isAtWork = itemOf(change, workUnitId)?.place === 'leased';
  if (profile.stage === 'Review' || profile.stage === 'Merge' || isAtWork) return spawned;
  change.run(workUnit, workUnitId, 'assign', { agentId });
  enqueue(change, records, workUnitId, schedule);
  return spawned;
}
