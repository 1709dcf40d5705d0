/** Entering a room. Rules HS1 to HS6. */
import { z } from 'zod';
import { toBase64 } from '../codec/bytes.js';
import { encodePack } from '../codec/pack.js';
import { describePeer } from '../host/peer.js';
import { Rejection } from '../rejection.js';
import { PROTOCOLS } from '../wire/protocol.js';
import { Count, Hex, NodeIdHex, PublicKeyHex } from '../wire/scalars.js';
import { PackFromServer, PeerShape } from '../wire/shapes.js';
import { command } from './define.js';

const CAPABILITIES = ['supports_ibf', 'supports_mst', 'supports_direct_blob_io'] as const;

export const hello = command({
  type: 'hello',
  summary: 'Announce yourself, and receive the room and its history.',
  first: true,
  in: z.object({
    pubkey: PublicKeyHex.optional().describe('Your Ed25519 public key.'),
    peer_id: z.string().min(1).max(256).optional().describe('Logical peer; defaults to `pubkey`.'),
    peer_type: z.string().max(64).optional().describe('Free-form classification; defaults to `ui`.'),
    known: z.array(NodeIdHex).optional().describe('Nodes that you hold; their ancestors are taken as held.'),
    frontier: z.array(NodeIdHex).optional().describe('Your heads; the same as naming them in `known`.'),
    protocol: z.array(z.number().int()).optional().describe('Protocol versions that you speak.'),
    caps: z.record(z.string(), z.unknown()).optional().describe('Capabilities that you support.'),
  }),
  out: {
    welcome: z.object({
      root: Hex.describe('SHA-256 of the sorted head ids.'),
      frontier: z.array(Hex).describe('The heads, sorted.'),
      missing: z.array(Hex).describe('Named by you, not held here: please push them.'),
      caps: z.record(z.string(), z.boolean()).describe('What both sides support.'),
      server_pubkey: Hex.describe("The room authority's public key."),
      peers: z.array(PeerShape).describe('The others in the room.'),
      genesis: z.base64().describe('The genesis node of the room as a pack of one.'),
      protocol: z.number().int().describe('The version spoken from here on.'),
      limits: z.object({ frame_bytes: Count, inbox_bytes: Count, outbox_bytes: Count }).describe('Budgets.'),
      canonical_seq: Count.describe("Nodes in the room's log."),
      session_id: z.string().describe('This connection.'),
    }),
    pack: PackFromServer,
    'peer-joined': PeerShape,
  },
  refuses: ['expected-hello', 'unsupported-protocol', 'room-reserved'],
}).run(({ tenancy, identity, serverKey, limits, reply, stream, join, broadcast }, input) => {
  const { room } = tenancy;
  const protocol = PROTOCOLS.find((version) => input.protocol?.includes(version) ?? true);
  if (protocol === undefined) {
    throw new Rejection('unsupported-protocol', `this server speaks protocol ${PROTOCOLS.join(', ')}`);
  }
  const pubkey = input.pubkey ?? identity.pubkey;
  const joined = { ...identity, pubkey, peerId: input.peer_id ?? pubkey, peerType: input.peer_type ?? 'ui' };
  const named = [...(input.known ?? []), ...(input.frontier ?? [])];
  const { frontier, root } = room.heads;
  return [
    reply('welcome', {
      root,
      frontier: [...frontier],
      missing: room.lacks(named),
      caps: Object.fromEntries(CAPABILITIES.map((name) => [name, false])),
      server_pubkey: serverKey,
      peers: tenancy.identities.map(describePeer),
      genesis: toBase64(room.genesis.pack),
      protocol,
      limits: { frame_bytes: limits.frameBytes, inbox_bytes: limits.inboxBytes, outbox_bytes: limits.outboxBytes },
      canonical_seq: room.seq,
      session_id: identity.sessionId,
    }),
    stream('pack', catchUp(room.packs(named), root)),
    join(joined),
    broadcast('peer-joined', describePeer(joined)),
  ];
});

/** At least one frame, and the last one says so. */
function* catchUp(packs: Iterable<Uint8Array>, root: string): Generator<z.input<typeof PackFromServer>> {
  let held: Uint8Array | undefined;
  for (const pack of packs) {
    if (held) yield { from: 'server', nodes: toBase64(held), root };
    held = pack;
  }
  const last = held ?? encodePack({ nodes: [], seals: [] });
  yield { from: 'server', nodes: toBase64(last), root, final: true };
}
