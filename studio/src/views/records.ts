/** All that is recorded, by noun. A new noun is a line here. */
import { attempt } from '../aggregates/attempt/attempt.js';
import { command, localCommand } from '../aggregates/command/command.js';
import { goal } from '../aggregates/goal/goal.js';
import { token } from '../aggregates/token/token.js';
import { webhook } from '../aggregates/webhook/webhook.js';
import { workUnit } from '../aggregates/work-unit/work-unit.js';
import { Collection } from '../ledger/collection.js';
import { Repositories } from './repositories.js';

export type Records = ReturnType<typeof createRecords>;

export function createRecords() {
  return {
    attempts: new Collection(attempt),
    commands: new Collection(command),
    localCommands: new Collection(localCommand),
    goals: new Collection(goal),
    repositories: new Repositories(),
    tokens: new Collection(token),
    webhooks: new Collection(webhook),
    workUnits: new Collection(workUnit, {
      parent: (unit) => unit.parentWorkUnitId,
      branch: (unit) => unit.branchId,
      needs: (unit) => unit.dependsOn,
    }),
  };
}
