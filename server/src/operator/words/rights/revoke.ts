import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { Duration, OneRoom, PublicKey, word } from '../word.js';

const MONTH = 30 * 86_400;

export const roomRevoke = word({
  noun: 'room',
  verb: 'revoke',
  summary: "Revoke a peer's tokens for a room: those that expire within a time. If it is there by one, it has to go.",
  changes: true,
  in: OneRoom.extend({
    peer: PublicKey.describe("The peer's public key."),
    within: Duration.default(MONTH).describe(
      'Tokens that expire within so long from now: a number with s, m, h or d; 30d when absent. One that is given it later must hold longer.',
    ),
  }),
  out: z.object({
    room: z.string(),
    peer: z.string(),
    before: z.number().describe('Unix seconds: tokens that expire before are worth nothing.'),
  }),
  async run({ host, store }, { room, peer, within }) {
    await mustExist(room, store);
    const before = Math.floor(Date.now() / 1000) + within;
    const answer = await asked(host, room, 'RevokeToken', { peer_pubkey: peer, before });
    return { room, peer, before: z.number().parse(answer['before']) };
  },
});
