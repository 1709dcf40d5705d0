import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

export const roomUnlock = word({
  noun: 'room',
  verb: 'unlock',
  summary: 'Let everybody enter a room again.',
  changes: true,
  in: OneRoom,
  out: z.object({ room: z.string() }),
  async run({ host, store }, { room }) {
    await mustExist(room, store);
    await asked(host, room, 'UnlockRoom', {});
    return { room };
  },
});
