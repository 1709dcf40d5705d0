/** What peers tell each other past the graph. Rules PR1, PR2. */
import { z } from 'zod';
import { command } from '../contract/command.js';
import type { CommandContext } from '../contract/context.js';
import type { Audience } from '../contract/effect.js';
import type { PeerIdentity } from '../tenancy/peer.js';

const From = {
  from: z.string().describe('The sender, as it names itself.'),
  proven: z.boolean().describe('Whether the sender proved that it holds its key.'),
};

const MOST_TTL_MS = 86_400_000;

const isTtl = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= MOST_TTL_MS;

export const presence = command({
  type: 'presence',
  summary: 'Show the others something of the moment: never stored; your last value is shown to those who come later.',
  in: z.object({
    data: z.unknown().optional().describe('Anything. Absent reads as null.'),
    ttl_ms: z.number().int().positive().max(MOST_TTL_MS).optional().describe('How long the value is shown.'),
  }),
  usual: ({ data, ttl_ms }) => (ttl_ms === undefined ? { data } : isTtl(ttl_ms) ? { data, ttl_ms } : undefined),
  out: { presence: z.object({ ...From, peer_id: z.string(), data: z.unknown() }) },
  refuses: ['invalid-payload', 'presence-full'],
}).run(({ identity, present }, { data = null, ttl_ms: ttlMs }) => [
  present('presence', { ...senderOf(identity), peer_id: identity.peerId, data }, ttlMs),
]);

const To = z.string().describe('Public key of the peer that it is for.');
/** Signal to one peer; other fields pass as they are. */
const Signal = z.looseObject({ to: To });
const Description = z.looseObject({ type: z.string(), sdp: z.string() }).describe('RTCSessionDescription.');
const Relayed = z.looseObject({ ...From, to: To });

function signal(type: string, what: string, payload: z.ZodRawShape) {
  return command({
    type,
    summary: `Pass ${what} on. The room hears it; whoever it is for picks it out by \`to\`.`,
    in: Signal.extend(payload),
    out: { [type]: Relayed },
    refuses: ['invalid-payload'],
  }).run((context, input) => {
    const { to } = input as z.output<typeof Signal>;
    return [context.broadcast(type, relayed(context, { ...input, to }), audience(context, to))];
  });
}

export const webrtcOffer = signal('webrtc-offer', 'a WebRTC offer', { sdp: Description });

export const webrtcAnswer = signal('webrtc-answer', 'a WebRTC answer', {
  sdp: z.unknown().optional().describe('RTCSessionDescription.'),
});

export const webrtcIce = signal('webrtc-ice', 'an ICE candidate', {
  candidate: z.unknown().optional().describe('RTCIceCandidate, or null at the end.'),
});

function senderOf({ pubkey, proven }: PeerIdentity): { readonly from: string; readonly proven: boolean } {
  return { from: pubkey, proven };
}

/** Frame with its sender, which is for the server to say. */
function relayed({ identity }: CommandContext, input: Readonly<Record<string, unknown>> & { readonly to: string }) {
  const { type: _type, req_id: _id, ...fields } = input;
  return { ...fields, to: input.to, ...senderOf(identity) };
}

/** Everybody else, unless the sender has asked for the one alone. */
function audience({ caps, identity }: CommandContext, to: string): Audience {
  if (!caps.has('supports_targeted_relay')) return 'others';
  return (peer) => peer.pubkey === to.toLowerCase() && peer.sessionId !== identity.sessionId;
}
