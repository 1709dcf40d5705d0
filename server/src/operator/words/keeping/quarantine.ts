import * as z from 'zod';
import { AnyOneRoom, word } from '../word.js';

export const roomQuarantine = word({
  noun: 'room',
  verb: 'quarantine',
  summary: 'Shut a room, across restarts too: its peers have to go, and nobody enters.',
  changes: true,
  in: AnyOneRoom.extend({ reason: z.string().max(1024).default('an operator').describe('Why, for other operators.') }),
  out: z.object({ room: z.string(), reason: z.string(), nodes: z.number() }),
  everywhere: ([answer]) => answer ?? { room: '', reason: '', nodes: 0 },
  async run({ host, store }, { room, reason }) {
    await host.quarantine(room, reason);
    // A room without nodes may be meant, or its name misspelt: the answer shows that there are none.
    return { room, reason, nodes: await store.log.head(room) };
  },
});
