/**
 * Default profile of a part: the only one that is for all of its files; else one that a model chooses, where the options want
 * that; else the first worker profile of the session; else `worker`.
 */
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../record/aggregates/options/options.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { lookAt, rootOf, sessionsAt } from '../rules/goals/tree.js';
import type { Records } from '../record/views/records.js';
import { coversScope } from '../workspace/files/covers-scope.js';

export interface WorkerFor {
  readonly profileId: string;
  /** Candidates for a model to choose from; `profileId` is the fallback. */
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
