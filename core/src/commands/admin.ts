/** Locks, policies and revocations: who may enter and who may write. Rules AU1 to AU6, PO1 to PO4. */
import { z } from 'zod';
import type { PolicyValue } from '../access/policy.js';
import { mayEnter } from '../access/rights.js';
import { command } from '../contract/command.js';
import type { Effect } from '../contract/effect.js';
import { type HostContext, hostCommand, hostEvents } from '../contract/host-command.js';
import type { Crypto } from '../ports/crypto.js';
import { Rejection } from '../rejection.js';
import { Facts, lockFact, policyFact, revocationFact } from '../room/state/facts.js';
import type { Member } from '../tenancy/tenancy.js';
import { readPolicy } from '../wire/policy-shape.js';
import { Hex, PublicKeyHex, UnixTime } from '../wire/scalars.js';

const LOCKED = 'auth: room locked';

/** Read by hand: what is wrong has its own text. */
const RoomKey = z.unknown().optional().describe('Ed25519 verifying key: tokens signed with its secret let peers in.');

export const setRoomKey = command({
  type: 'set-room-key',
  summary: 'Lock the room: from now on only peers with a token of this key, or of the server, may enter.',
  requires: 'room.admin',
  in: z.object({ pubkey: RoomKey }),
  out: { 'room-locked': z.object({ pubkey: Hex }) },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload', 'room-locked'],
}).run(async ({ tenancy, identity, crypto, reply }, { pubkey }) => {
  const key = keyOf('set-room-key', pubkey, crypto);
  await tenancy.room.transact((view) => {
    if (new Facts(view).lock !== undefined) throw new Rejection('room-locked', 'room already locked');
    return { writes: [lockFact(key, identity.pubkey)], result: undefined };
  });
  return [reply('room-locked', { pubkey: key }), expelStrangers(key)];
});

export const rotateRoomKey = command({
  type: 'rotate-room-key',
  summary: 'Lock the room with another key. Tokens of the key before do not let anybody in any more.',
  requires: 'room.admin',
  in: z.object({ pubkey: RoomKey }),
  out: { 'room-locked': z.object({ pubkey: Hex }) },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload', 'room-open'],
}).run(async ({ tenancy, identity, crypto, reply }, { pubkey }) => {
  const key = keyOf('rotate-room-key', pubkey, crypto);
  await tenancy.room.transact((view) => {
    if (new Facts(view).lock === undefined) throw new Rejection('room-open', 'room not locked');
    return { writes: [lockFact(key, identity.pubkey)], result: undefined };
  });
  return [reply('room-locked', { pubkey: key }), expelStrangers(key)];
});

export const unlockRoom = command({
  type: 'unlock-room',
  summary: 'Let everybody enter again.',
  requires: 'room.admin',
  in: z.object({}),
  out: { 'room-unlocked': z.object({}) },
  refuses: ['reject.control_plane_forbidden', 'room-open'],
}).run(async ({ tenancy, identity, reply }) => {
  await tenancy.room.transact((view) => {
    if (new Facts(view).lock === undefined) throw new Rejection('room-open', 'room not locked');
    return { writes: [lockFact(undefined, identity.pubkey)], result: undefined };
  });
  return [reply('room-unlocked', {})];
});

const Revocation = z.object({ peer_pubkey: PublicKeyHex, before: UnixTime.describe('Unix seconds.') });
const Revoked = z.object({ peer_pubkey: Hex, before: UnixTime });

export const revokeToken = command({
  type: 'revoke-token',
  summary: "Revoke a peer's tokens: those that expire before a time. A peer that is here with one has to go.",
  requires: 'room.admin',
  in: Revocation,
  out: { 'token-revoked': Revoked },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload'],
}).run(async ({ tenancy, identity, reply }, { peer_pubkey: peer, before: asked }) => {
  const { result: before } = await tenancy.room.transact((view) => {
    const latest = Math.max(asked, new Facts(view).revokedBefore(peer));
    return { writes: [revocationFact(peer, latest, identity.pubkey)], result: latest };
  });
  const holds = ({ identity: { pubkey }, rights: { expiry, holder = pubkey } }: Member): boolean =>
    holder === peer && expiry !== undefined && expiry < before;
  return [
    reply('token-revoked', { peer_pubkey: peer, before }),
    { kind: 'expel', whom: holds, msg: 'auth: token revoked' },
  ];
});

const PolicyFields = z.object({
  default: z.unknown().optional().describe('`allow` or `deny`: for keys that no rule matches. Required.'),
  rules: z
    .unknown()
    .optional()
    .describe('Array of `{path_glob, can_write}`; the first that matches decides. Required.'),
});

export const setPolicy = command({
  type: 'set-policy',
  summary: 'Say who may write where, from now on.',
  requires: 'policy.admin',
  in: PolicyFields,
  out: { 'policy-set': z.object({}) },
  refuses: ['reject.control_plane_forbidden', 'invalid-payload'],
}).run(async ({ tenancy, identity, reply }, input) => {
  const policy = policyOf(input);
  await tenancy.room.transact(() => ({ writes: [policyFact(policy, identity.pubkey)], result: undefined }));
  return [reply('policy-set', {})];
});

const ServerInfo = z.object({ pubkey: Hex.describe('Ed25519 verifying key of the room authority.') });

export const serverInfo = command({
  type: 'server-info',
  summary: "Ask for the server's key.",
  in: z.object({}),
  out: { 'server-info': ServerInfo },
  refuses: [],
}).run(({ serverKey, reply }) => [reply('server-info', { pubkey: serverKey })]);

const Refused = z.object({ msg: z.string().describe('Why not, for people.') });
const LockedWith = z.object({ pubkey_hex: Hex });
const RoomKeyHex = z.object({ pubkey_hex: RoomKey });

export const hostSetRoomKey = hostEvents({
  variant: 'SetRoomKey',
  summary: setRoomKey.summary,
  in: RoomKeyHex,
  out: { RoomLocked: LockedWith, SetRoomKeyRejected: Refused },
}).run(async ({ ask, event }, { pubkey_hex: pubkey }) => {
  const refused = await refusalOf(ask(setRoomKey, { pubkey }));
  return [refused ? event('SetRoomKeyRejected', refused) : event('RoomLocked', lockedWith(pubkey))];
});

export const hostRotateRoomKey = hostEvents({
  variant: 'RotateRoomKey',
  summary: rotateRoomKey.summary,
  in: RoomKeyHex,
  out: { RoomLocked: LockedWith, RotateRoomKeyRejected: Refused },
}).run(async ({ ask, event }, { pubkey_hex: pubkey }) => {
  const refused = await refusalOf(ask(rotateRoomKey, { pubkey }));
  return [refused ? event('RotateRoomKeyRejected', refused) : event('RoomLocked', lockedWith(pubkey))];
});

export const hostUnlockRoom = hostEvents({
  variant: 'UnlockRoom',
  summary: unlockRoom.summary,
  in: z.object({}),
  out: { RoomUnlocked: z.object({}), UnlockRoomRejected: Refused },
}).run(async ({ ask, event }) => {
  const refused = await refusalOf(ask(unlockRoom, {}));
  return [refused ? event('UnlockRoomRejected', refused) : event('RoomUnlocked', {})];
});

export const hostSetPolicy = hostEvents({
  variant: 'SetPolicy',
  summary: setPolicy.summary,
  in: PolicyFields,
  out: { PolicySet: z.object({}), SetPolicyRejected: Refused },
}).run(async ({ ask, event }, policy) => {
  const refused = await refusalOf(ask(setPolicy, policy));
  return [refused ? event('SetPolicyRejected', refused) : event('PolicySet', {})];
});

export const hostRevokeToken = hostCommand({
  variant: 'RevokeToken',
  event: 'TokenRevoked',
  summary: revokeToken.summary,
  in: Revocation,
  out: Revoked,
}).run(async ({ ask }, revocation) => Revoked.parse((await ask(revokeToken, revocation))[0]));

export const hostServerInfo = hostCommand({
  variant: 'ServerInfo',
  event: 'ServerInfoRead',
  summary: serverInfo.summary,
  in: z.object({}),
  out: ServerInfo,
}).run(async ({ ask }) => ServerInfo.parse((await ask(serverInfo, {}))[0]));

async function refusalOf(asked: ReturnType<HostContext['ask']>): Promise<z.output<typeof Refused> | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    if (error instanceof Rejection) return { msg: error.message };
    throw error;
  }
}

const lockedWith = (pubkey: unknown) => ({ pubkey_hex: String(pubkey).toLowerCase() });

/** Expels those who could not have joined the room as it is locked now. */
function expelStrangers(key: string): Effect {
  return { kind: 'expel', whom: ({ rights }) => !mayEnter(rights, key), msg: LOCKED };
}

/** A key that locks: one that somebody can hold, or the room would be shut to everybody for good. [AU7] */
function keyOf(type: string, value: unknown, crypto: Crypto): string {
  const key = PublicKeyHex.safeParse(value);
  if (!key.success) throw new Rejection('invalid-payload', `${type}: invalid pubkey hex`);
  if (!crypto.isPublicKey(key.data)) throw new Rejection('invalid-payload', `${type}: no Ed25519 public key`);
  return key.data;
}

function policyOf(fields: z.output<typeof PolicyFields>): PolicyValue {
  const policy = readPolicy(fields);
  if (typeof policy === 'string') throw new Rejection('invalid-payload', `set-policy: ${policy}`);
  return policy;
}
