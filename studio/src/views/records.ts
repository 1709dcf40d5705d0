/** All that is recorded, by noun. A new noun is a line here. */
import { command, localCommand } from '../aggregates/command/command.js';
import { Collection } from '../ledger/collection.js';
import { Repositories } from './repositories.js';

export type Records = ReturnType<typeof createRecords>;

export function createRecords() {
  return {
    commands: new Collection(command),
    localCommands: new Collection(localCommand),
    repositories: new Repositories(),
  };
}
