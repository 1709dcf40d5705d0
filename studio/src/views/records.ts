/** All that is recorded, by noun. A new noun is a line here. */
import { branch } from '../aggregates/branch/branch.js';
import { collectionRun } from '../aggregates/collection-run/collection-run.js';
import { command, localCommand } from '../aggregates/command/command.js';
import { conflict } from '../aggregates/conflict/conflict.js';
import { goal } from '../aggregates/goal/goal.js';
import { knownGood } from '../aggregates/known-good/known-good.js';
import { mergeProposal } from '../aggregates/merge-proposal/merge-proposal.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import { Collection } from '../ledger/collection.js';
import { Repositories } from './repositories.js';

export type Records = ReturnType<typeof createRecords>;

export function createRecords() {
  return {
    branches: new Collection(branch),
    collectionRuns: new Collection(collectionRun),
    commands: new Collection(command),
    localCommands: new Collection(localCommand),
    conflicts: new Collection(conflict, {
      proposal: ({ proposalId }) => proposalId,
      workUnit: ({ workUnitId }) => workUnitId,
      parent: ({ parentWorkUnitId }) => parentWorkUnitId,
    }),
    goals: new Collection(goal),
    knownGoods: new Collection(knownGood, { branch: ({ branchId }) => branchId }),
    proposals: new Collection(mergeProposal, {
      source: ({ sourceBranch }) => sourceBranch,
      target: ({ targetBranch }) => targetBranch,
      workUnit: ({ workUnitId }) => workUnitId,
      session: ({ sessionId }) => sessionId,
    }),
    repositories: new Repositories(),
    workUnits: new Collection(workUnit, {
      parent: (unit) => unit.parentWorkUnitId,
      branch: (unit) => unit.branchId,
      needs: (unit) => unit.dependsOn,
    }),
  };
}
