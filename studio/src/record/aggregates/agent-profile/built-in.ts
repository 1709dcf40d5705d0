/** Built-in profiles, each with its role as a file beside this one. They can be changed like any other. */
import orchestrator from './roles/orchestrator.md';
import planner from './roles/planner.md';
import reconciler from './roles/reconciler.md';
import reviewer from './roles/reviewer.md';
import worker from './roles/worker.md';
import type { AgentProfile } from './state.js';

/** Tools that only agents have come first; those of the contract that do the same are for conversations and scripts that know them. */
const READING = [
  ...['view', 'glob', 'grep', 'symbols', 'git_log', 'git_show', 'git_blame', 'diff', 'skill', 'todo', 'remember'],
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

const RUNNING = ['run', 'run_output', 'run_stop', 'build', 'test', 'lint'];

const WRITING = [
  ...READING,
  ...['edit', 'write', 'patch', 'move', 'delete', 'scope_request'],
  ...RUNNING,
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
    systemPrompt: orchestrator,
    allowedTools: [...READING, 'scheduler_enqueue'],
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'planner',
    name: 'Planner',
    stage: 'Plan',
    maxIterations: 60,
    systemPrompt: planner,
    allowedTools: [...READING, 'artifact_record_plan'],
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'worker',
    name: 'Worker',
    stage: 'Execute',
    maxIterations: 200,
    systemPrompt: worker,
    allowedTools: WRITING,
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'reviewer',
    name: 'Reviewer',
    stage: 'Review',
    maxIterations: 80,
    systemPrompt: reviewer,
    allowedTools: [...READING, ...RUNNING, 'workspace_diff', 'workspace_test', 'review', 'merge_review'],
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
  {
    agentProfileId: 'reconciler',
    name: 'Reconciler',
    stage: 'Reconcile',
    maxIterations: 200,
    systemPrompt: reconciler,
    allowedTools: WRITING,
    fileScopePatterns: [],
    injectApiKeyEnv: false,
  },
];
