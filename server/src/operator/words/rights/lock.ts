import * as z from 'zod';
import { OperatorError } from '../../define.js';
import { asked } from '../../submit.js';
import { OneRoom, PublicKey, word } from '../word.js';

export const roomLock = word({
  noun: 'room',
  verb: 'lock',
  summary: 'Lock a room: from now on only peers with a token enter, and who is there without one has to go.',
  changes: true,
  in: OneRoom.extend({
    key: PublicKey.optional().describe(
      "Public key whose tokens let in beside the server's own; the admin key when absent.",
    ),
    rotate: z.boolean().default(false).describe('Put this key in the place of the one before.'),
  }),
  out: z.object({ room: z.string(), locked_with: z.string().describe('Public key.') }),
  async run({ host, admin }, { room, key = admin?.publicKey, rotate }) {
    if (key === undefined) throw new OperatorError('this server has no admin key: name a key, or give it --admin-key');
    await asked(host, room, rotate ? 'RotateRoomKey' : 'SetRoomKey', { pubkey_hex: key });
    return { room, locked_with: key };
  },
});
