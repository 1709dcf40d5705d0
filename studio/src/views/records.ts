/** All that is recorded, by noun. A new noun is a line here. */
import { artifact, privateArtifact } from '../aggregates/artifact/artifact.js';
import { artifactFeedback } from '../aggregates/artifact-feedback/artifact-feedback.js';
import { command, localCommand } from '../aggregates/command/command.js';
import { constraintSwitch } from '../aggregates/constraint-switch/constraint-switch.js';
import { decision } from '../aggregates/decision/decision.js';
import { evidence } from '../aggregates/evidence/evidence.js';
import { experiment } from '../aggregates/experiment/experiment.js';
import { externalDoc } from '../aggregates/external-doc/external-doc.js';
import { finding } from '../aggregates/finding/finding.js';
import { goal } from '../aggregates/goal/goal.js';
import { hypothesis } from '../aggregates/hypothesis/hypothesis.js';
import { projectionSnapshot } from '../aggregates/projection-snapshot/projection-snapshot.js';
import { reasoning } from '../aggregates/reasoning/reasoning.js';
import { trajectory } from '../aggregates/trajectory/trajectory.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import { Collection } from '../ledger/collection.js';
import { Repositories } from './repositories.js';

export type Records = ReturnType<typeof createRecords>;

export function createRecords() {
  return {
    artifacts: new Collection(artifact, {
      owner: (one) => one.ownedByWorkUnitId,
      parent: (one) => one.parentArtifactId,
      promotedFrom: (one) => one.promotedFromArtifactId,
      unowned: (one) => (one.ownedByWorkUnitId === undefined ? one.type : undefined),
    }),
    artifactFeedback: new Collection(artifactFeedback),
    commands: new Collection(command),
    constraintSwitches: new Collection(constraintSwitch),
    decisions: new Collection(decision, { workUnit: (one) => one.workUnitId, proposal: (one) => one.proposalId }),
    evidence: new Collection(evidence, { workUnit: (one) => one.workUnitId }),
    experiments: new Collection(experiment, { parent: (one) => one.parentWorkUnitId }),
    externalDocs: new Collection(externalDoc),
    findings: new Collection(finding, { status: (one) => one.status }),
    localCommands: new Collection(localCommand),
    goals: new Collection(goal),
    hypotheses: new Collection(hypothesis, { parent: (one) => one.parentWorkUnitId }),
    privateArtifacts: new Collection(privateArtifact, { promotedFrom: (one) => one.promotedFromArtifactId }),
    projectionSnapshots: new Collection(projectionSnapshot, { workUnit: (one) => one.workUnitId }),
    reasoning: new Collection(reasoning, { workUnit: (one) => one.workUnitId }),
    repositories: new Repositories(),
    trajectories: new Collection(trajectory),
    workUnits: new Collection(workUnit, {
      parent: (unit) => unit.parentWorkUnitId,
      branch: (unit) => unit.branchId,
      needs: (unit) => unit.dependsOn,
    }),
  };
}
