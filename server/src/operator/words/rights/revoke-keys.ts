import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, PublicKey, word } from '../word.js';

const Revoked = z.object({
  subject: z.string().describe('Whose keys they were.'),
  key: z.string().optional().describe('The one key; all of the subject when absent.'),
});

export const roomRevokeKeys = word({
  noun: 'room',
  verb: 'revoke-keys',
  summary:
    'Take back in a room that keys are those of a person: of all, or by its own word of one. Who is here as such has to go.',
  changes: true,
  in: OneRoom.extend({
    subject: PublicKey.optional().describe('Public key of the person, all of whose keys are nobody else’s any more.'),
    word: z.string().optional().describe('In its place, what weft subject revoke has said of one key.'),
  }),
  out: Revoked.extend({ room: z.string() }),
  async run({ host, store }, { room, subject, word: said }) {
    await mustExist(room, store);
    const wanted = { ...(subject === undefined ? {} : { subject }), ...(said === undefined ? {} : { word_hex: said }) };
    return { room, ...Revoked.parse(await asked(host, room, 'RevokeKeys', wanted)) };
  },
});
