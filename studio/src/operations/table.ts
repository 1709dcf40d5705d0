/**
 * Every operation of the studio. Adding one is a new export in one of the modules below; nothing else changes.
 *
 * An operation's id is `<noun>.<verb>`: the noun is given here, the verb is the name of the export.
 */
import * as artifacts from './artifacts.js';
import * as causal from './causal.js';
import { checkTable } from './check-table.js';
import * as coModifications from './co-modifications.js';
import * as constraints from './constraints.js';
import * as counterfactuals from './counterfactuals.js';
import * as decisions from './decisions.js';
import type { NamedOperation, Operation } from './define.js';
import * as agentProfiles from './agent-profiles.js';
import * as agents from './agents.js';
import * as branches from './branches.js';
import * as caches from './caches.js';
import * as candidates from './candidates.js';
import * as clarifications from './clarifications.js';
import * as conflicts from './conflicts.js';
import * as credentials from './credentials.js';
import * as deadLetters from './dead-letters.js';
import * as documents from './documents.js';
import * as events from './events.js';
import * as evidence from './evidence.js';
import * as experiments from './experiments.js';
import * as externalGoals from './external-goals.js';
import * as externalResults from './external-results.js';
import * as externalWorkspace from './external-workspace.js';
import * as fileLeases from './file-leases.js';
import * as findings from './findings.js';
import * as goals from './goals.js';
import * as hypotheses from './hypotheses.js';
import * as intents from './intents.js';
import * as materializations from './materializations.js';
import * as merges from './merges.js';
import * as models from './models.js';
import * as nodes from './nodes.js';
import * as options from './options.js';
import * as participants from './participants.js';
import * as projections from './projections.js';
import * as reasoning from './reasoning.js';
import * as replays from './replays.js';
import * as reconciliations from './reconciliations.js';
import * as repositories from './repositories.js';
import * as repositoryFiles from './repository-files.js';
import * as repositoryGit from './repository-git.js';
import * as repositoryConflicts from './repository-conflicts.js';
import * as requeues from './requeues.js';
import * as scheduler from './scheduler.js';
import * as sessions from './sessions.js';
import * as snapshots from './snapshots.js';
import * as staff from './staff.js';
import * as states from './states.js';
import * as steering from './steering.js';
import * as tasks from './tasks.js';
import * as tokens from './tokens.js';
import * as trajectories from './trajectories.js';
import * as usageMetrics from './usage-metrics.js';
import * as webhooks from './webhooks.js';
import * as workUnitLogs from './work-unit-logs.js';
import * as workUnits from './work-units.js';
import * as workspaceFiles from './workspace-files.js';
import * as workspaceRuns from './workspace-runs.js';
import * as workspaceSwitch from './workspace-switch.js';
import * as workspaceSymbols from './workspace-symbols.js';
import * as workspace from './workspace.js';

export function tableOf(
  modules: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): readonly NamedOperation[] {
  const table = Object.entries(modules).flatMap(([noun, module]) =>
    Object.entries(module).map(([verb, operation]) => ({ ...operation, id: `${noun}.${verb}` })),
  );
  // A namespace lists its names sorted, so the order says nothing; sort by id to make it independent of the module order too.
  table.sort((a, b) => (a.id < b.id ? -1 : 1));
  checkTable(table);
  return table;
}

export const operationTable: readonly NamedOperation[] = tableOf({
  'agent-profile': agentProfiles,
  agent: agents,
  artifact: artifacts,
  branch: branches,
  cache: caches,
  candidate: candidates,
  causal,
  clarification: clarifications,
  'co-modification': coModifications,
  conflict: conflicts,
  constraint: constraints,
  counterfactual: counterfactuals,
  credential: credentials,
  'dead-letter': deadLetters,
  decision: decisions,
  document: documents,
  event: events,
  evidence,
  experiment: experiments,
  'external-goal': externalGoals,
  'external-result': externalResults,
  'external-workspace': externalWorkspace,
  'file-lease': fileLeases,
  finding: findings,
  goal: goals,
  hypothesis: hypotheses,
  intent: intents,
  materialization: materializations,
  merge: merges,
  model: models,
  node: nodes,
  option: options,
  participant: participants,
  projection: projections,
  reasoning,
  reconciliation: reconciliations,
  replay: replays,
  repository: { ...repositories, ...repositoryFiles, ...repositoryGit },
  'repository-conflict': repositoryConflicts,
  requeue: requeues,
  scheduler: scheduler,
  session: sessions,
  snapshot: snapshots,
  staff: staff,
  state: states,
  steering: steering,
  task: tasks,
  token: tokens,
  trajectory: trajectories,
  'usage-metric': usageMetrics,
  webhook: webhooks,
  workspace: { ...workspace, ...workspaceFiles, ...workspaceRuns, ...workspaceSwitch, ...workspaceSymbols },
  'workunit-log': workUnitLogs,
  workunit: workUnits,
});
