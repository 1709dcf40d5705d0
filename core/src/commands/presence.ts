/** What members show of themselves, through the embedding API. Rules PR1, HC4. */
import { z } from 'zod';
import { hostCommand, hostEvents } from '../contract/host-command.js';
import type { Frame } from '../wire/frame.js';

const SessionId = z.union([z.number(), z.string()]).describe('The number of a session of this API; of others text.');
const UnixMs = z.number().int().nonnegative();
const From = z.string().describe('The public key, as the session names itself.');

/** Numbers name the sessions of this API. */
const numbered = (sessionId: string): string | number => (/^\d+$/.test(sessionId) ? Number(sessionId) : sessionId);

const shown = ([sessionId, frame]: readonly [string, Frame]) => ({
  session_id: numbered(sessionId),
  from_peer_pubkey: String(frame['from']),
});

export const presenceSet = hostCommand({
  variant: 'PresenceSet',
  event: 'PresenceValueSet',
  summary: 'Show the others something of a session, as long as it is open or for a time. Never stored.',
  in: z.object({
    session_id: z.number().int().nonnegative(),
    data: z.unknown().describe('Anything that JSON can hold.'),
    ttl_ms: z.number().int().positive().max(86_400_000).optional().describe('How long it is shown.'),
    now_unix_ms: UnixMs.optional().describe("Not looked at: the host's clock counts."),
  }),
  out: z.object({
    session_id: z.number(),
    from_peer_pubkey: From,
    data: z.unknown(),
    joined: z.boolean().describe('Whether the session showed nothing before.'),
  }),
}).run(async ({ tenancy, sessions }, { session_id, data, ttl_ms }) => {
  const session = sessions.of(tenancy.room.id, session_id);
  const joined = !tenancy.presence.shows(String(session_id));
  await session.ask({ type: 'presence', data, ...(ttl_ms === undefined ? {} : { ttl_ms }) });
  return { session_id, from_peer_pubkey: session.pubkey, data, joined };
});

export const presenceGetAll = hostCommand({
  variant: 'PresenceGetAll',
  event: 'PresenceValuesListed',
  summary: 'What all members show, wherever they are, in the order in which they began to.',
  in: z.object({}),
  out: z.object({
    entries: z.array(z.object({ session_id: SessionId, from_peer_pubkey: From, data: z.unknown() })),
  }),
}).run(({ tenancy }) => ({
  entries: tenancy.presence.entries.map((entry) => ({ ...shown(entry), data: entry[1]['data'] })),
}));

export const presenceSweep = hostEvents({
  variant: 'PresenceSweep',
  summary:
    'Take away what is shown beyond its time. The host does that by itself; a later time than now takes more away.',
  in: z.object({ now_unix_ms: UnixMs }),
  out: {
    PresenceValueRemoved: z.object({ session_id: SessionId, from_peer_pubkey: From, reason: z.enum(['stale']) }),
  },
}).run(({ tenancy, event }, { now_unix_ms }) =>
  tenancy.presence
    .sweep(now_unix_ms)
    .map((entry) => event('PresenceValueRemoved', { ...shown(entry), reason: 'stale' })),
);
