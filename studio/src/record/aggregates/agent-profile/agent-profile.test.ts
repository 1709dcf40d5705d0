import { describe, expect, it } from 'vitest';
import { decided, stateOf } from '../../../testing/record/given.js';
import { type AgentProfile } from './state.js';
import { agentProfile, builtIn } from './agent-profile.js';
import { BUILT_IN_PROFILES } from './built-in.js';

const own: AgentProfile = {
  agentProfileId: 'mine',
  name: 'Mine',
  stage: 'Execute',
  systemPrompt: 'work',
  allowedTools: [],
  maxIterations: 5,
  fileScopePatterns: [],
  injectApiKeyEnv: false,
};

describe('an agent profile', () => {
  it('is there from the start for each role', () => {
    expect(BUILT_IN_PROFILES.map(({ agentProfileId, stage }) => [agentProfileId, stage])).toEqual([
      ['orchestrator', 'Orchestrate'],
      ['planner', 'Plan'],
      ['worker', 'Execute'],
      ['reviewer', 'Review'],
      ['reconciler', 'Reconcile'],
    ]);
  });

  it('is made once, and changed field by field', () => {
    const created = decided(agentProfile, [], 'write', own);
    expect(stateOf(agentProfile, created)).toEqual(own);
    expect(decided(agentProfile, created, 'write', own)).toEqual([]);
    expect(decided(agentProfile, created, 'write', { ...own, name: 'Ours' })).toEqual([
      { type: 'AgentProfileChanged', v: 1, agentProfileId: 'mine', name: 'Ours' },
    ]);
    expect(() => decided(agentProfile, [], 'change', { agentProfileId: 'mine' })).toThrow('no profile is called mine');
  });

  it('that is there from the start is changed like any other', () => {
    const changed = decided(agentProfile, [], 'change', { agentProfileId: 'worker', maxIterations: 3 });
    expect(changed).toEqual([{ type: 'AgentProfileChanged', v: 1, agentProfileId: 'worker', maxIterations: 3 }]);
    expect(stateOf(agentProfile, changed)).toEqual({ ...builtIn('worker'), maxIterations: 3 });
  });
});
