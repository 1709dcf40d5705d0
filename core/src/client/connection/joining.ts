/** Hello and welcome: what a peer says when it enters a room, and what it is told. [CL1] [CL2] */
import type { KeyPair } from '../../access/keys.js';
import { type Proof, freshNonce, makeProof } from '../../access/proof.js';
import type { Credential } from '../../access/token.js';
import { type OpenMessage, openPack } from '../../codec/packs/pack.js';
import { sift } from '../../codec/sieve.js';
import type { HashMaker } from '../../crdt/state-hash.js';
import { nameOf } from '../../graph/node.js';
import type { Clock } from '../../ports/clock.js';
import type { PeerCrypto } from '../../ports/crypto.js';
import { Rejection } from '../../rejection.js';
import type { Frame } from '../../wire/frame.js';
import type { Negotiable } from '../../wire/negotiable.js';
import { PROTOCOLS } from '../../wire/protocol.js';
import { type Welcome, welcome } from './frames.js';
import type { Holdings } from '../replica/exchange.js';
import type { GivingUp } from '../replica/giving-up.js';
import type { Replica } from '../replica/replica.js';

/** Options of a peer: who it is in a room. */
export interface PeerOptions {
  readonly keys: KeyPair;
  /** Logical peer: who connects again as the same takes over from itself. Of `keepRoom`, a name of its own when absent. */
  readonly peerId?: string;
  readonly peerType?: string;
  /** The server as this peer dials it, `host:port`: with it, the peer proves that it holds its key. */
  readonly audience?: string;
  /** The room's id, which the proof is for. */
  readonly room?: string;
  readonly clock: Clock;
  readonly crypto: PeerCrypto;
  /** How the hash of all values is computed, or that it is loaded when it is asked for. */
  readonly hash: HashMaker;
  /** Reader of messages that a page does without. */
  readonly openMessage?: OpenMessage;
  /** What gives up nodes that a server has refused; a page loads it when one does. */
  readonly givingUp?: GivingUp;
  /** Lets others have a turn between slices of long work. */
  readonly pause?: () => Promise<void>;
  /** Whether the copy gives up what was overwritten when the room does (`history.prune`); otherwise it keeps what it has. [PN6] */
  readonly followsPruning?: boolean;
}

export interface Claims {
  readonly token: Credential | undefined;
  readonly subscribe: readonly string[] | undefined;
  readonly holdings: Holdings | undefined;
  /** Under which the server has shown what is held; it compares. */
  readonly view: string | undefined;
}

const CAPS: Partial<Record<Negotiable, boolean>> = {
  supports_binary: true,
  supports_reconcile: true,
  supports_direct_blob_io: true,
  supports_targeted_relay: true,
  supports_ibf: false,
  supports_mst: false,
};

export async function helloOf(options: PeerOptions, { token, subscribe, holdings, view }: Claims): Promise<Frame> {
  const { keys, peerId, peerType } = options;
  return {
    type: 'hello',
    pubkey: keys.publicKey,
    protocol: PROTOCOLS,
    caps: CAPS,
    delegation: keys.delegation,
    // What is undefined is not said.
    peer_id: peerId,
    peer_type: peerType,
    token,
    subscribe,
    frontier: holdings?.frontier,
    known: holdings?.known,
    view,
    proof: await prove(options),
  };
}

async function prove({ keys, crypto, clock, audience, room }: PeerOptions): Promise<Proof | undefined> {
  if (audience === undefined || room === undefined) return undefined;
  const claims = { room, aud: audience.toLowerCase(), ts: clock.now(), nonce: freshNonce() };
  return makeProof(claims, crypto.signerOf(keys));
}

/** Throws a `Rejection` for what is no welcome, or that of another room than this copy is of. */
export function readWelcome(frame: Frame, replica: Replica | undefined): Welcome {
  const data = sift(welcome, frame);
  if (!data) throw new Rejection('out-of-step', 'the server sent a welcome that cannot be read');
  if (replica && nameOf(openPack(data.genesis).table, 0) !== replica.room)
    throw new Rejection('genesis-mismatch', 'the server has another room than this replica is of');
  return data;
}
