/**
 * Which profile works on a part that nobody has chosen one for: the only one that is for all of its files; else one that a model
 * chooses, where the options want that; else the first of the session that works; else `worker`.
 */
import type { AgentProfile } from '../record/aggregates/agent-profile/agent-profile.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../record/aggregates/options/options.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { lookAt, rootOf, sessionsAt } from '../rules/goals/tree.js';
import type { Records } from '../record/views/records.js';
import { coversScope } from '../workspace/files/covers-scope.js';

export interface WorkerFor {
  readonly profileId: string;
  /** Those that a model is to choose from; `profileId` is for when it chooses none. */
  readonly among?: readonly AgentProfile[];
}

export function workerFor(records: Records, { workUnitId, fileScope }: WorkUnit): WorkerFor {
  const all = records.agentProfiles.all().filter(({ stage }) => stage === 'Execute');
  const ofScope = all.filter(({ fileScopePatterns }) => coversScope(fileScopePatterns, fileScope));
  const [only, another] = ofScope;
  if (only && !another) return { profileId: only.agentProfileId };
  const profileId = usualFor(records, workUnitId);
  const among = another ? ofScope : all;
  const { useLlmProfileSelection } = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  return useLlmProfileSelection && among.length > 1 ? { profileId, among } : { profileId };
}

function usualFor(records: Records, workUnitId: string): string {
  const look = lookAt(records);
  const root = rootOf(look, workUnitId)?.workUnitId ?? workUnitId;
  const { profileIds = [] } = sessionsAt(look, records, root).at(-1) ?? {};
  return profileIds.find((id) => records.agentProfiles.get(id)?.stage === 'Execute') ?? 'worker';
}
