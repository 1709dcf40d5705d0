import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { OneRoom, PublicKey, word } from '../word.js';

export const roomMay = word({
  noun: 'room',
  verb: 'may',
  summary: 'Say whether a peer may write to a key by the policy of a room, and which rule decides.',
  changes: false,
  in: OneRoom.extend({
    peer: PublicKey.describe("The peer's public key."),
    key: z.string().min(1).max(4096).describe('The key that it would write to.'),
  }),
  out: z.object({
    room: z.string(),
    allowed: z.boolean(),
    by: z
      .enum(['authority', 'no policy', 'default', 'rule'])
      .describe('What decides: the peer administers the room, there is no policy, no rule matches, or one does.'),
    rule: z.number().optional().describe('Place of that rule, from 0.'),
  }),
  async run({ host, store }, { room, peer, key }) {
    await mustExist(room, store);
    return host.withRoom(room, async (opened) => ({ room, ...opened.mayWrite(peer, key) }));
  },
});
