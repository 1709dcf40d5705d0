/** Members of a room who are in this process. Rule HC4. */
import { z } from 'zod';
import { hostCommand, hostEvents } from '../contract/host-command.js';
import { Rejection } from '../rejection.js';
import { Count, NodeIdHex, PublicKeyHex } from '../wire/scalars.js';
import { EVERYTHING } from '../wire/shapes.js';

const SessionId = z.number().int().nonnegative().describe('A number of your choice, per room.');
const Removed = z.object({ session_id: SessionId, from_peer_pubkey: z.string(), reason: z.enum(['leave']) });
const Welcome = z.object({ caps: z.record(z.string(), z.boolean()), missing: z.array(z.string()) });

export const openSession = hostCommand({
  variant: 'OpenSession',
  event: 'SessionOpened',
  summary:
    'Open a session. It enters an open room at once and is a peer like others: it counts, is seen, and hears what they hear, as events. In a locked room it waits for `ClientHello`.',
  in: z.object({
    session_id: SessionId,
    peer_pubkey_hex: PublicKeyHex.describe(
      'Whose session it is. You answer for that: the key is not asked for a proof.',
    ),
  }),
  out: z.object({ session_id: SessionId }),
}).run(async ({ tenancy, sessions }, { session_id, peer_pubkey_hex }) => {
  const { room } = tenancy;
  const session = sessions.open(room.id, session_id, peer_pubkey_hex);
  try {
    if (room.facts.lock === undefined) await session.hello({});
  } catch (error) {
    sessions.close(room.id, session_id);
    throw error;
  }
  return { session_id };
});

export const clientHello = hostCommand({
  variant: 'ClientHello',
  event: 'WelcomePrepared',
  summary: 'Enter the room, or go on in it, with a token and capabilities. What the session lacks is heard as events.',
  in: z.object({
    session_id: SessionId,
    hello: z.object({
      peer_pubkey_hex: PublicKeyHex.describe('That of the session.'),
      client_frontier: z.array(NodeIdHex).default([]).describe('Nodes that are held, with their ancestors.'),
      capabilities: z.record(z.string(), z.unknown()).default({}).describe('As `caps` of a hello on the wire.'),
      token: z.unknown().optional().describe('What lets it in, or lets it do more.'),
    }),
  }),
  out: z.object({
    session_id: SessionId,
    negotiated: z.record(z.string(), z.boolean()).describe('What both sides support.'),
    missing_from_server_count: Count.describe('How many of the frontier the room does not hold.'),
  }),
}).run(async ({ tenancy, sessions }, { session_id, hello }) => {
  const session = sessions.of(tenancy.room.id, session_id);
  if (hello.peer_pubkey_hex !== session.pubkey) throw new Rejection('auth', 'auth: the session is of another key');
  const { client_frontier: frontier, capabilities, token } = hello;
  // Frames are JSON here.
  const caps = { ...capabilities, supports_binary: false };
  const { caps: negotiated, missing } = Welcome.parse(await session.hello({ frontier, caps, token }));
  return { session_id, negotiated, missing_from_server_count: missing.length };
});

export const closeSession = hostEvents({
  variant: 'CloseSession',
  summary: 'Close a session: it leaves the room, and its presence goes.',
  in: z.object({ session_id: SessionId }),
  out: { SessionClosed: z.object({ session_id: SessionId }), PresenceValueRemoved: Removed },
}).run(({ tenancy, sessions, event }, { session_id }) => {
  const { pubkey: from_peer_pubkey } = sessions.of(tenancy.room.id, session_id);
  const isShown = tenancy.presence.shows(String(session_id));
  sessions.close(tenancy.room.id, session_id);
  const closed = event('SessionClosed', { session_id });
  return isShown
    ? [closed, event('PresenceValueRemoved', { session_id, from_peer_pubkey, reason: 'leave' })]
    : [closed];
});

export const subscribeSession = hostCommand({
  variant: 'Subscribe',
  event: 'SubscriptionUpdated',
  summary: 'Choose which keys a session hears of. What it did not see before is heard after that.',
  in: z.object({
    session_id: SessionId,
    patterns: z.array(z.string()).describe('Globs over keys; none is everything.'),
  }),
  out: z.object({ session_id: SessionId, patterns: z.array(z.string()).describe('What it is subscribed to now.') }),
}).run(async ({ tenancy, sessions }, { session_id, patterns: asked }) => {
  const wanted = asked.map((pattern) => pattern.trim()).filter((pattern) => pattern !== '');
  const patterns = wanted.length > 0 ? wanted : EVERYTHING;
  const [answer] = await sessions.of(tenancy.room.id, session_id).ask({ type: 'subscribe', patterns });
  return { session_id, patterns: z.array(z.string()).parse(answer?.['patterns']) };
});

export const relayPeerSignal = hostCommand({
  variant: 'RelayPeerSignal',
  event: 'PeerSignalRelayed',
  summary: 'Pass a signal of a session on to the others, as its frame on the wire.',
  in: z.object({
    session_id: SessionId,
    msg_type: z.enum(['webrtc-offer', 'webrtc-answer', 'webrtc-ice']),
    to_peer_pubkey: z.string().describe('Who it is for.'),
    payload: z.record(z.string(), z.unknown()).describe('Fields of the frame: `sdp`, or `candidate`.'),
  }),
  out: z.object({
    from_peer_pubkey: z.string(),
    msg_type: z.string(),
    to_peer_pubkey: z.string(),
    payload: z.record(z.string(), z.unknown()),
  }),
}).run(async ({ tenancy, sessions }, { session_id, msg_type, to_peer_pubkey, payload }) => {
  const session = sessions.of(tenancy.room.id, session_id);
  await session.ask({ ...payload, type: msg_type, to: to_peer_pubkey });
  return { from_peer_pubkey: session.pubkey, msg_type, to_peer_pubkey, payload };
});
