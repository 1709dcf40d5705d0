/** Built-in profiles. They can be changed like any other. */
import type { AgentProfile } from './state.js';

const READING = [
  'projection_get',
  'workunit_get',
  'workunit_list',
  'artifact_query',
  'artifact_list',
  'workspace_read',
  'workspace_read_many',
  'workspace_list',
  'workspace_search',
  'workspace_exists',
  'workspace_symbol_definition',
  'workspace_symbol_references',
  'workspace_symbol_implementation',
  'clarification_request',
];

const WRITING = [
  ...READING,
  'task_update',
  'artifact_record',
  'intent_record',
  'workspace_write',
  'workspace_replace',
  'workspace_delete',
  'workspace_diff',
  'workspace_build',
  'workspace_test',
  'workspace_exec',
  'merge_propose',
];

export const BUILT_IN_PROFILES: readonly AgentProfile[] = [
  {
    agentProfileId: 'orchestrator',
    name: 'Orchestrator',
    stage: 'Orchestrate',
    maxIterations: 25,
    systemPrompt: 'Keep the goal in view: see what is done, what waits and what failed, and say what should follow.',
    allowedTools: [...READING, 'scheduler_enqueue'],
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'planner',
    name: 'Planner',
    stage: 'Plan',
    maxIterations: 15,
    systemPrompt:
      'Divide the goal into slices that can be done one by one. Copy names, signatures and other contracts word for word. ' +
      'Give each slice the files that it may change, and what it depends on. Record the plan.',
    allowedTools: [...READING, 'artifact_record_plan'],
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'worker',
    name: 'Worker',
    stage: 'Execute',
    maxIterations: 30,
    systemPrompt:
      'Do the task within its files. Build and test before you propose. Ask when what is wanted is unclear.',
    allowedTools: WRITING,
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'reviewer',
    name: 'Reviewer',
    stage: 'Review',
    maxIterations: 14,
    systemPrompt:
      'Check the proposal against its goal, its success criteria and the constraints. Say what you verified.',
    allowedTools: [...READING, 'workspace_diff', 'workspace_test', 'merge_review'],
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'reconciler',
    name: 'Reconciler',
    stage: 'Reconcile',
    maxIterations: 30,
    systemPrompt: 'Bring the diverging changes together so that both goals are met, in the conflicting files only.',
    allowedTools: WRITING,
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
];
