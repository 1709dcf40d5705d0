/** Pushing nodes. Rules PK5 to PK8. */
import { z } from 'zod';
import { DecodeError, fromBase64 } from '../codec/bytes.js';
import type { PeerIdentity } from '../host/peer.js';
import { Rejection } from '../rejection.js';
import type { Verdict } from '../room/admission.js';
import type { Room } from '../room/room.js';
import { Count, Hex } from '../wire/scalars.js';
import { command } from './define.js';

export const pack = command({
  type: 'pack',
  summary: 'Push nodes. The answer comes when what was accepted is durable.',
  in: z.object({
    nodes: z.string().optional().catch(undefined).describe('The pack in base64.'), // [PK5] absence reads as bad base64
  }),
  out: {
    'pack-ack': z.object({
      accepted_count: Count.describe('Nodes that are durable now, those held before included.'),
      rejected_count: Count.describe('Nodes that were refused.'),
      incoming_count: Count.describe('Nodes in the pack.'),
      rejected: z.array(z.object({ id: Hex, reason: z.string() })).describe('Each refused node and why.'),
    }),
  },
  refuses: ['invalid-pack'],
}).run(async ({ tenancy, identity, reply }, input) => {
  const { accepted, duplicates, refused } = await admit(tenancy.room, decode(input.nodes), identity);
  return [
    reply('pack-ack', {
      accepted_count: accepted + duplicates,
      rejected_count: refused.length,
      incoming_count: accepted + duplicates + refused.length,
      rejected: [...refused],
    }),
  ];
});

// The two texts are part of the contract, whatever the pack's format is. [PK5]

function decode(nodes: string | undefined): Uint8Array {
  try {
    if (nodes === undefined) throw new DecodeError('missing');
    return fromBase64(nodes);
  } catch (error) {
    throw new Rejection('invalid-pack', 'invalid pack: bad base64', { cause: error });
  }
}

async function admit(room: Room, pack: Uint8Array, { pubkey, sessionId }: PeerIdentity): Promise<Verdict> {
  try {
    return await room.admit(pack, { from: pubkey, session: sessionId });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new Rejection('invalid-pack', 'invalid pack: bad postcard', { cause: error });
  }
}
