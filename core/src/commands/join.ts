/** Entering a room. Rules HS1 to HS7. */
import { z } from 'zod';
import { checkAgain } from '../access/authenticate.js';
import { verifyMandate } from '../access/mandate.js';
import type { Rights } from '../access/rights.js';
import { DecodeError, fromHex, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { command } from '../contract/command.js';
import type { CommandContext } from '../contract/context.js';
import type { Effects, Joining } from '../contract/effect.js';
import type { Frames } from '../contract/frames.js';
import type { NodeId } from '../graph/node.js';
import { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import type { Introduction } from '../room/state/mandates.js';
import { describePeer, type PeerIdentity } from '../tenancy/peer.js';
import type { Member } from '../tenancy/tenancy.js';
import { NEGOTIABLES, negotiate } from '../wire/negotiable.js';
import { PROTOCOLS } from '../wire/protocol.js';
import { Bytes, BytesFromPeer, Count, Hex, NodeIdHex, PublicKeyHex, UnixTime } from '../wire/scalars.js';
import { PackFromServer, Patterns, PeerShape, isEverything } from '../wire/shapes.js';

const fields = z.object({
  pubkey: PublicKeyHex.optional().describe('Your Ed25519 public key.'),
  peer_id: z.string().min(1).max(256).optional().describe('Logical peer; defaults to `pubkey`.'),
  peer_type: z.string().max(64).optional().describe('Free-form classification; defaults to `ui`.'),
  known: z.array(NodeIdHex).optional().describe('Nodes that you hold; their ancestors are taken as held.'),
  frontier: z.array(NodeIdHex).optional().describe('Your heads; the same as naming them in `known`.'),
  view: Hex.optional().describe('`view` of the welcome under which you got them: see HS11.'),
  ibf: BytesFromPeer.optional().describe('A filter of the ids that you hold: see RC1.'),
  mst_root: Hex.optional().describe('Root of your tree of ids: see RC3.'),
  subscribe: Patterns.optional().describe('Which keys you want; everything when absent.'),
  delegation: z
    .string()
    .optional()
    .describe("A subject's mandate for your key, in hex, until you have introduced it: see SU3."),
  token: z.unknown().optional().describe('What lets you in, or lets you do more: see TK1.'),
  proof: z.unknown().optional().describe('That you hold your key: see PF1.'),
  protocol: z.array(z.number().int()).optional().describe('Protocol versions that you speak.'),
  caps: z.record(z.string(), z.unknown()).optional().describe('Capabilities that you support.'),
});

const answers = {
  welcome: z.object({
    root: Hex.describe('SHA-256 of the sorted head ids.'),
    frontier: z.array(Hex).describe('The heads, sorted.'),
    missing: z.array(Hex).describe('Named by you, not held here: please push them.'),
    caps: z.record(z.string(), z.boolean()).describe('What both sides support.'),
    server_pubkey: Hex.describe("The room authority's public key."),
    peers: z.array(PeerShape).describe('The others in the room.'),
    genesis: Bytes.describe('The genesis node of the room as a pack of one.'),
    mst_root: Hex.optional().describe('Root of the tree of ids, if you have claimed `supports_mst`.'),
    protocol: z.number().int().describe('The version spoken from here on.'),
    limits: z
      .object({
        frame_bytes: Count,
        inbox_bytes: Count,
        outbox_bytes: Count,
        nodes_per_second: Count,
        nodes_burst: Count,
        bytes_per_second: Count,
        bytes_burst: Count,
        frames_per_second: Count,
      })
      .describe('Budgets.'),
    canonical_seq: Count.describe("Nodes in the room's log."),
    canonical_hash: Hex.describe('Hash of everything that the room resolves to.'),
    session_id: z.string().describe('This connection.'),
    view: Hex.optional().describe('What of the room you are shown, if your token is a text: see HS11.'),
    retry_spread_ms: Count.optional().describe(
      'Come back within so many milliseconds, by chance, if this connection ends without a word.',
    ),
  }),
  pack: PackFromServer,
  'peer-joined': PeerShape,
};

export const hello = command({
  type: 'hello',
  summary: 'Announce yourself, and receive the room and its history.',
  first: true,
  in: fields,
  out: answers,
  refuses: ['expected-hello', 'unsupported-protocol', 'room-reserved', 'auth', 'auth-unavailable'],
}).run(async (context, input) => {
  const protocol = PROTOCOLS.find((version) => input.protocol?.includes(version) ?? true);
  if (protocol === undefined) {
    throw new Rejection('unsupported-protocol', `this server speaks protocol ${PROTOCOLS.join(', ')}`);
  }
  const { pubkey: claimed, token, proof, peer_id: peerId, peer_type: peerType } = input;
  const delegated = await delegationIn(context, input);
  const subject = claimed && context.tenancy.room.subjectOf(claimed, delegated);
  const rights = await context.authenticate({ pubkey: claimed, subject, token, proof, peerId, peerType });
  await context.tenancy.room.past.present.prepareHash(); // of a large room that was never hashed: seconds
  return [{ kind: 'then', decide: () => enter(context, input, { rights, protocol, delegated }) }];
});

export const refreshToken = command({
  type: 'refresh-token',
  summary: 'Show another token, before the one that you came with expires: from the answer on, its rights are yours.',
  in: z.object({
    token: z.unknown().optional().describe('Token for your key, in the form that hello takes: see TK1.'),
  }),
  out: {
    'token-refreshed': z.object({ caps: z.array(z.string()).describe('What it grants.'), expiry: UnixTime }),
    pack: PackFromServer,
  },
  refuses: ['auth', 'auth-unavailable'],
}).run(async (context, { token }) => {
  const { identity, tenancy, renew, reply } = context;
  const rights = await renew(token);
  return [
    {
      kind: 'then',
      decide: () => {
        const { facts } = tenancy.room;
        checkAgain(rights, identity.pubkey, { lock: facts.lock, revokedBefore: (peer) => facts.revokedBefore(peer) });
        const { capabilities, expiry = 0 } = rights;
        return [{ kind: 'renew', rights }, reply('token-refreshed', { caps: [...capabilities].sort(), expiry })];
      },
    },
  ];
});

type HelloContext = CommandContext & Frames<typeof answers>;
type Hello = z.output<typeof fields>;

/** Enters at one moment: the peer and the others are told the same of who is there and what the room is like. */
function enter(context: HelloContext, input: Hello, { rights, protocol, delegated }: Admitted): Effects {
  const { tenancy, identity, serverKey, limits, retrySpreadMs, offered, mayCreate, expectPlace } = context;
  const { reply, broadcast } = context;
  const { room } = tenancy;
  const { lock } = room.facts;
  const pubkey = input.pubkey ?? identity.pubkey;
  if (room.seq === 0 && !mayCreate(room.id, rights))
    throw new Rejection('auth', 'auth: there is no such room, and this peer may not begin it');
  checkAgain(rights, input.pubkey, { lock, revokedBefore: (peer) => room.facts.revokedBefore(peer) });
  const subject = input.pubkey === undefined ? undefined : subjectNow(room, input.pubkey, delegated, rights);
  const peerId = input.peer_id ?? pubkey;
  const joined: PeerIdentity = {
    ...identity,
    pubkey,
    peerId,
    peerType: input.peer_type ?? 'ui',
    proven: rights.proven,
    ...(subject === undefined || subject === pubkey ? {} : { subject }),
  };
  expectPlace(joined);
  const supersedes = input.peer_id === undefined ? undefined : holderOf(tenancy.members, joined, rights);
  const caps = negotiate(input.caps ?? {}, offered);
  const view = typeof input.token === 'string' ? viewOf(rights, input.subscribe) : undefined;
  const { catchUp, missing } = lackOf(room, input, caps, input.view === undefined || input.view === view);
  const claimsTree = input.caps?.['supports_mst'] === true || input.mst_root !== undefined;
  const { frontier, root } = room.heads;
  const patterns = input.subscribe && !isEverything(input.subscribe) ? { patterns: input.subscribe } : {};
  return [
    reply('welcome', {
      root,
      frontier: [...frontier],
      missing,
      ...(claimsTree && caps.has('supports_mst') ? { mst_root: room.nodes.ids.tree.root } : {}),
      caps: Object.fromEntries(NEGOTIABLES.map((name) => [name, caps.has(name)])),
      server_pubkey: serverKey,
      peers: tenancy.identities.filter((peer) => peer.sessionId !== supersedes?.identity.sessionId).map(describePeer),
      genesis: room.genesis.pack,
      protocol,
      limits: {
        frame_bytes: limits.frameBytes,
        inbox_bytes: limits.inboxBytes,
        outbox_bytes: limits.outboxBytes,
        nodes_per_second: limits.nodesPerSecond,
        nodes_burst: limits.nodesBurst,
        bytes_per_second: limits.bytesPerSecond,
        bytes_burst: limits.bytesBurst,
        frames_per_second: limits.framesPerSecond,
      },
      canonical_seq: room.seq,
      canonical_hash: room.stateHash,
      session_id: identity.sessionId,
      ...(view === undefined ? {} : { view }),
      ...(retrySpreadMs === undefined ? {} : { retry_spread_ms: retrySpreadMs }),
    }),
    {
      kind: 'join',
      joining: { identity: joined, rights, caps, catchUp, ...patterns, ...(supersedes ? { supersedes } : {}) },
    },
    ...(supersedes ? [] : [broadcast('peer-joined', describePeer(joined))]),
  ];
}

/** Name of what a peer is shown of a room: the same whenever the same rights and subscriptions choose it. [HS11] */
function viewOf({ read }: Rights, subscribed: readonly string[] | undefined): string {
  const chosen = [subscribed, read?.patterns].map((patterns) => patterns && [...new Set(patterns)].sort());
  return toHex(sha256(toUtf8(JSON.stringify(chosen))));
}

interface Admitted {
  readonly rights: Rights;
  readonly protocol: number;
  readonly delegated: Introduction | undefined;
}

/** What a hello shows of its key, with a signature that holds; refuses anything else. [SU3] */
async function delegationIn(
  { crypto, tenancy }: CommandContext,
  { pubkey, delegation: hex }: Hello,
): Promise<Introduction | undefined> {
  if (hex === undefined) return undefined;
  const bytes = fromHex(/^([0-9a-f]{2})+$/.test(hex) ? hex : '');
  const mandate = await verifyMandate('delegate', bytes, crypto);
  if (!mandate || mandate.key !== pubkey) throw new Rejection('auth', 'auth: malformed delegation');
  const shown = { matter: 'delegate', mandate, bytes } as const;
  expectDelegated(tenancy.room, pubkey, shown);
  return shown;
}

function expectDelegated(room: Room, pubkey: string, shown: Introduction): void {
  if (room.subjectOf(pubkey, shown) !== shown.mandate.giver)
    throw new Rejection('auth', 'auth: delegation does not hold');
}

/** Whose a key is at the moment of entering: what was shown, or counted, may have been taken back since. */
function subjectNow(room: Room, pubkey: string, shown: Introduction | undefined, { holder }: Rights): string {
  if (shown) expectDelegated(room, pubkey, shown);
  const subject = room.subjectOf(pubkey, shown);
  if (holder !== undefined && holder !== subject) throw new Rejection('auth', 'auth: delegation does not hold');
  return subject;
}

interface Holdings {
  readonly known?: readonly NodeId[] | undefined;
  readonly frontier?: readonly NodeId[] | undefined;
  readonly ibf?: Uint8Array | undefined;
  readonly mst_root?: string | undefined;
}

interface Lack {
  readonly catchUp: Joining['catchUp'];
  /** What the peer has and the room has not. */
  readonly missing: string[];
}

/** What each side lacks, as far as a hello can tell. A peer that can find out more by itself is not sent everything. [RC8] */
function lackOf(room: Room, holdings: Holdings, caps: ReadonlySet<string>, isAsSeen: boolean): Lack {
  const { ibf, mst_root: root } = holdings;
  const known = [...(holdings.known ?? []), ...(holdings.frontier ?? [])];
  const difference = ibf && caps.has('supports_ibf') ? differenceTo(room, ibf) : undefined;
  if (difference)
    return { catchUp: { numbers: difference.weHave }, missing: difference.theyHave.map((id) => toHex(id)) };
  const missing = room.nodes.lacks(known);
  const canGoOn = caps.has('supports_mst') || caps.has('supports_reconcile');
  const saysMore = ibf !== undefined || root !== undefined;
  return {
    catchUp: known.length === 0 && saysMore && canGoOn ? { numbers: [] } : { known: isAsSeen ? known : [] },
    missing,
  };
}

function differenceTo(room: Room, filter: Uint8Array) {
  try {
    return room.nodes.ids.filters.difference(filter);
  } catch (error) {
    if (error instanceof DecodeError) return undefined; // as one that does not decode
    throw error;
  }
}

/**
 * The connection that already is the logical peer which a hello names, if that peer may go on as it: with the same key,
 * and proven if that one was.
 */
function holderOf(
  members: readonly Member[],
  { peerId, pubkey }: PeerIdentity,
  { proven }: Rights,
): Member | undefined {
  const holder = members.find(({ identity }) => identity.peerId === peerId);
  if (!holder) return undefined;
  if (holder.identity.pubkey !== pubkey) throw new Rejection('auth', 'auth: peer_id belongs to another key');
  if (holder.identity.proven && !proven) throw new Rejection('auth', 'auth: missing proof');
  return holder;
}
