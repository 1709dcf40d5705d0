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
import * as documents from './documents.js';
import * as evidence from './evidence.js';
import * as experiments from './experiments.js';
import * as findings from './findings.js';
import * as hypotheses from './hypotheses.js';
import * as models from './models.js';
import * as nodes from './nodes.js';
import * as projections from './projections.js';
import * as reasoning from './reasoning.js';
import * as replays from './replays.js';
import * as repositories from './repositories.js';
import * as snapshots from './snapshots.js';
import * as trajectories from './trajectories.js';
import * as workUnits from './work-units.js';
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
  artifact: artifacts,
  causal,
  'co-modification': coModifications,
  constraint: constraints,
  counterfactual: counterfactuals,
  decision: decisions,
  document: documents,
  evidence,
  experiment: experiments,
  finding: findings,
  hypothesis: hypotheses,
  model: models,
  node: nodes,
  projection: projections,
  reasoning,
  replay: replays,
  repository: repositories,
  snapshot: snapshots,
  trajectory: trajectories,
  workspace,
  workunit: workUnits,
});
