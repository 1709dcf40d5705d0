/**
 * Every operation of the studio. Adding one is a new export in one of the modules below; nothing else changes.
 *
 * An operation's id is `<noun>.<verb>`: the noun is given here, the verb is the name of the export.
 */
import * as artifacts from './knowledge/artifacts.js';
import * as attention from './people/attention.js';
import * as causal from './host/causal.js';
import * as coModifications from './knowledge/co-modifications.js';
import * as constraints from './knowledge/constraints.js';
import * as counterfactuals from './experiments/counterfactuals.js';
import * as decisions from './knowledge/decisions.js';
import type { NamedOperation, Operation } from './kernel/define.js';
import * as agentProfiles from './agents/agent-profiles.js';
import * as agents from './agents/agents.js';
import * as branches from './branches/branches.js';
import * as caches from './branches/caches.js';
import * as candidates from './proposals/candidates.js';
import * as clarifications from './people/clarifications.js';
import * as conflicts from './proposals/conflicts.js';
import * as credentials from './host/credentials.js';
import * as deadLetters from './queue/dead-letters.js';
import * as demonstrations from './host/demonstrations.js';
import * as documents from './knowledge/documents.js';
import * as events from './host/events.js';
import * as evidence from './knowledge/evidence.js';
import * as experiments from './experiments/experiments.js';
import * as externalGoals from './goals/external-goals.js';
import * as externalResults from './goals/external-results.js';
import * as externalWorkspace from './host/external-workspace.js';
import * as fileLeases from './queue/file-leases.js';
import * as findings from './knowledge/findings.js';
import * as contributions from './forges/contributions.js';
import * as forges from './forges/forges.js';
import * as goals from './goals/goals.js';
import * as hypotheses from './experiments/hypotheses.js';
import * as intents from './queue/intents.js';
import * as materializations from './workspaces/materializations.js';
import * as memories from './knowledge/memories.js';
import * as merges from './proposals/merges.js';
import * as models from './experiments/models.js';
import * as nodes from './host/nodes.js';
import * as options from './host/options.js';
import * as participants from './people/participants.js';
import * as projections from './knowledge/projections.js';
import * as publishing from './branches/publishing.js';
import * as reasoning from './knowledge/reasoning.js';
import * as replays from './knowledge/replays.js';
import * as reconciliations from './proposals/reconciliations.js';
import * as remotes from './branches/remotes.js';
import * as repositories from './branches/repositories.js';
import * as repositoryFiles from './branches/repository-files.js';
import * as repositoryGit from './branches/repository-git.js';
import * as repositoryConflicts from './proposals/repository-conflicts.js';
import * as requeues from './queue/requeues.js';
import * as scheduler from './queue/scheduler.js';
import * as sessions from './goals/sessions.js';
import * as snapshots from './knowledge/snapshots.js';
import * as spendings from './agents/spendings.js';
import * as staff from './agents/staff.js';
import * as states from './branches/states.js';
import * as steering from './people/steering.js';
import * as tasks from './goals/tasks.js';
import * as tokens from './host/tokens.js';
import * as toolServers from './agents/tool-servers.js';
import * as transcripts from './goals/transcripts.js';
import * as trajectories from './knowledge/trajectories.js';
import * as usageMetrics from './agents/usage-metrics.js';
import * as webhooks from './host/webhooks.js';
import * as workUnitLogs from './goals/work-unit-logs.js';
import * as workUnits from './goals/work-units.js';
import * as workspaceFiles from './workspaces/workspace-files.js';
import * as workspaceRuns from './workspaces/workspace-runs.js';
import * as workspaceSwitch from './workspaces/workspace-switch.js';
import * as workspaceSymbols from './workspaces/workspace-symbols.js';
import * as workspace from './workspaces/workspace.js';

export function tableOf(
  modules: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): readonly NamedOperation[] {
  const table = Object.entries(modules).flatMap(([noun, module]) =>
    Object.entries(module).map(([verb, operation]) => ({ ...operation, id: `${noun}.${verb}` })),
  );
  // A namespace lists its names sorted, so the order says nothing; sort by id to make it independent of the module order too.
  table.sort((a, b) => (a.id < b.id ? -1 : 1));
  return table;
}

export const operationTable: readonly NamedOperation[] = tableOf({
  'agent-profile': agentProfiles,
  agent: agents,
  artifact: artifacts,
  attention,
  branch: branches,
  cache: caches,
  candidate: candidates,
  causal,
  clarification: clarifications,
  'co-modification': coModifications,
  conflict: conflicts,
  constraint: constraints,
  contribution: contributions,
  counterfactual: counterfactuals,
  credential: credentials,
  'dead-letter': deadLetters,
  decision: decisions,
  demonstration: demonstrations,
  document: documents,
  event: events,
  evidence,
  experiment: experiments,
  'external-goal': externalGoals,
  'external-result': externalResults,
  'external-workspace': externalWorkspace,
  'file-lease': fileLeases,
  finding: findings,
  forge: forges,
  goal: goals,
  hypothesis: hypotheses,
  intent: intents,
  materialization: materializations,
  memory: memories,
  merge: merges,
  model: models,
  node: nodes,
  option: options,
  participant: participants,
  projection: projections,
  publishing,
  reasoning,
  reconciliation: reconciliations,
  replay: replays,
  remote: remotes,
  repository: { ...repositories, ...repositoryFiles, ...repositoryGit },
  'repository-conflict': repositoryConflicts,
  requeue: requeues,
  scheduler: scheduler,
  session: sessions,
  snapshot: snapshots,
  spending: spendings,
  staff: staff,
  state: states,
  steering: steering,
  task: tasks,
  token: tokens,
  'tool-server': toolServers,
  trajectory: trajectories,
  transcript: transcripts,
  'usage-metric': usageMetrics,
  webhook: webhooks,
  workspace: { ...workspace, ...workspaceFiles, ...workspaceRuns, ...workspaceSwitch, ...workspaceSymbols },
  'workunit-log': workUnitLogs,
  workunit: workUnits,
});
