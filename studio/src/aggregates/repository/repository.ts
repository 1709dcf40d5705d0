/** The repository aggregate, as the ledger runs it. */
import type { Aggregate } from '../aggregate.js';
import { decide } from './decide.js';
import type { RepositoryCommands, RepositoryFacts } from './decide.js';
import { repositoryEvent } from './events.js';
import type { RepositoryEvent } from './events.js';
import { evolve, initial } from './state.js';
import type { RepositoryState } from './state.js';

export const repository: Aggregate<RepositoryState, RepositoryEvent, RepositoryCommands, RepositoryFacts> = {
  name: 'repository',
  initial,
  event: repositoryEvent,
  evolve,
  decide,
};
