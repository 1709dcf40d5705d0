/** Agent of a queued unit: the one taken on for it, or another of the same profile. */
import { agent } from '../../record/aggregates/agent/agent.js';
import type { ScheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';

export function agentFor(
  change: Change,
  records: Records,
  { workUnitId, profileId, taskId }: Pick<ScheduledItem, 'workUnitId' | 'profileId' | 'taskId'>,
): string {
  const known = records.agents
    .where('workUnit', workUnitId)
    .filter((one) => one.profileId === profileId && (one.status === 'active' || one.status === 'Interrupted'))
    .at(-1);
  if (known) return change.run(agent, known.agentId, 'resume', {}).agentId;
  const agentId = change.newId('agent-');
  const agentType = (records.agentProfiles.get(profileId)?.name ?? profileId).toLowerCase();
  change.run(agent, agentId, 'spawn', { agentId, agentType, workUnitId, profileId, taskId });
  return agentId;
}
