/** All that is recorded, by noun. A new noun is a line here. */
import { artifact, privateArtifact } from '../aggregates/artifact/artifact.js';
import { artifactFeedback } from '../aggregates/artifact-feedback/artifact-feedback.js';
import { command, localCommand } from '../aggregates/command/command.js';
import { constraintSwitch } from '../aggregates/constraint-switch/constraint-switch.js';
import { finding } from '../aggregates/finding/finding.js';
import { goal } from '../aggregates/goal/goal.js';
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
    findings: new Collection(finding, { status: (one) => one.status }),
    localCommands: new Collection(localCommand),
    goals: new Collection(goal),
    privateArtifacts: new Collection(privateArtifact, { promotedFrom: (one) => one.promotedFromArtifactId }),
    repositories: new Repositories(),
    workUnits: new Collection(workUnit, {
      parent: (unit) => unit.parentWorkUnitId,
      branch: (unit) => unit.branchId,
      needs: (unit) => unit.dependsOn,
    }),
  };
}
