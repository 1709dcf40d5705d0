/** Repository aggregate, as the ledger runs it. */
import { aggregate } from '../aggregate.js';
import { decide } from './decide.js';
import { repositoryEvent } from './events.js';
import { type RegisteredRepository, evolve } from './state.js';

export const repository = aggregate<RegisteredRepository>()({
  name: 'repository',
  room: 'workgroup',
  event: repositoryEvent,
  evolve,
  decide,
});
