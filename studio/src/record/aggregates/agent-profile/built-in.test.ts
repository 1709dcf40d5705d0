import { describe, expect, it } from 'vitest';
import { BUILT_IN_PROFILES } from './built-in.js';

/** Tools of a profile that another one has not. */
const beyond = (id: string, other: string): string[] => {
  const [own = [], others = []] = [id, other].map(
    (each) => BUILT_IN_PROFILES.find(({ agentProfileId }) => agentProfileId === each)?.allowedTools,
  );
  return own.filter((tool) => !others.includes(tool));
};

describe('built-in profiles', () => {
  it('are one for each stage that agents work in', () => {
    expect(BUILT_IN_PROFILES.map(({ name, stage, maxIterations }) => [name, stage, maxIterations])).toEqual([
      ['Orchestrator', 'Orchestrate', 25],
      ['Planner', 'Plan', 60],
      ['Worker', 'Execute', 200],
      ['Reviewer', 'Review', 80],
      ['Reconciler', 'Reconcile', 200],
    ]);
    for (const { systemPrompt, fileScopePatterns, injectApiKeyEnv } of BUILT_IN_PROFILES)
      expect([systemPrompt.length > 100, fileScopePatterns, injectApiKeyEnv]).toEqual([true, [], false]);
  });

  it('all read, remember and ask people', () => {
    const reading = `view glob grep symbols git_log git_show git_blame diff skill todo remember projection_get
      workunit_get workunit_list artifact_query artifact_list workspace_read workspace_read_many workspace_list
      workspace_search workspace_exists workspace_symbol_definition workspace_symbol_references
      workspace_symbol_implementation clarification_request`.split(/\s+/);
    for (const { agentProfileId, allowedTools } of BUILT_IN_PROFILES)
      expect([agentProfileId, reading.filter((tool) => !allowedTools.includes(tool))]).toEqual([agentProfileId, []]);
    expect(beyond('planner', 'nobody')).toEqual([...reading, 'artifact_record_plan']);
  });

  it('write where they execute, run where they review, and record a plan where they plan', () => {
    expect(beyond('orchestrator', 'planner')).toEqual(['scheduler_enqueue']);
    expect(beyond('planner', 'worker')).toEqual(['artifact_record_plan']);
    expect(beyond('reviewer', 'worker')).toEqual(['review', 'merge_review']);
    expect(beyond('reviewer', 'planner')).toEqual([
      'run',
      'run_output',
      'run_stop',
      'build',
      'test',
      'lint',
      'workspace_diff',
      'workspace_test',
      'review',
      'merge_review',
    ]);
    expect(beyond('worker', 'reconciler')).toEqual([]);
    expect(beyond('worker', 'reviewer').toSorted()).toEqual([
      'artifact_record',
      'delete',
      'edit',
      'intent_record',
      'merge_propose',
      'move',
      'patch',
      'scope_request',
      'task_update',
      'workspace_build',
      'workspace_delete',
      'workspace_exec',
      'workspace_replace',
      'workspace_write',
      'write',
    ]);
  });
});
