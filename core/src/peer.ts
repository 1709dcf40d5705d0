/** What a peer needs, bound to the fastest crypto of this runtime. Nothing of the host is loaded with it. */
import type { KeyPair } from './access/keys.js';
import { type Proof, type ProofClaims, freshNonce, makeProof } from './access/proof.js';
import { type Token, type TokenClaims, makeToken } from './access/token.js';
import { defaultCrypto } from './adapters/crypto/default.js';
import { keep } from './client/keeping.js';
import { givingUp } from './client/replica/giving-up.js';
import { Replica, type ReplicaOptions } from './client/replica/replica.js';
import { type ConnectOptions, type KeepOptions, RoomClient } from './client/room-client.js';
import { fromHex } from './codec/bytes/bytes.js';
import { openTyped } from './codec/packs/typed-message.js';
import { StateHash } from './crdt/state-hash.js';
import type { Fork } from './graph/forks.js';
import { isRoomName } from './codec/bytes/room-id.js';
import { checkAddress } from './client/connection/trouble.js';
import { Rejection } from './rejection.js';
import { systemClock } from './ports/clock.js';
import type { Crypto, PeerCrypto } from './ports/crypto.js';
import { Snapshot } from './room/keeping/snapshot.js';
import { type SignedTombstone, verifyTombstone } from './room/keeping/tombstone.js';
import { verifyForkProof as verifyProof } from './room/reading/fork-proof.js';

export { generateKeys } from './keys.js';

/** The pair of a secret that was kept: 64 hex characters. */
export function keysFromSeed(seed: string): KeyPair {
  return { publicKey: defaultCrypto.signer(fromHex(seed)).publicKey, seed };
}

/** What is bound here, to all of it and at once; the caller may bring Ed25519 of its own. */
const bound = { crypto: defaultCrypto, hash: StateHash, openMessage: openTyped, givingUp };
type Unbound<T> = T extends unknown ? Omit<T, keyof typeof bound> & { readonly crypto?: PeerCrypto } : never;

/** A peer's own copy of a room: from `welcome.genesis`, decoded, or from what `replica.save` answered. */
export function createReplica(options: Unbound<ReplicaOptions>): Promise<Replica> {
  return Replica.open({ ...bound, ...options });
}

/** What a tombstone says, if the authority that it names has signed it. */
export function openTombstone(bytes: Uint8Array): Promise<SignedTombstone | undefined> {
  return verifyTombstone(bytes, defaultCrypto);
}

/** A room as it was when it was compacted, to be read without its log; signed by one of the room's authorities. */
export function openSnapshot(bytes: Uint8Array): Promise<Snapshot> {
  return Snapshot.open(bytes, defaultCrypto);
}

/** Joins a room over a WebSocket; resolves when its history is merged. Ends with the socket. */
export async function connectRoom({ socket, ...options }: Unbound<ConnectOptions>): Promise<RoomClient> {
  checkPeer(options);
  checkAddress(socket);
  const client = new RoomClient({ clock: systemClock, ...bound, ...options, open: () => socket });
  await client.joined;
  return client;
}

/**
 * Stays in a room: when a connection is lost another is made, with the same replica and after a while, until `close` or
 * until the server refuses this peer. What is written goes out by itself. `joined` tells of the first time; keys, a room id or an
 * address that can be none are thrown at once.
 */
export function keepRoom(options: Unbound<KeepOptions>): RoomClient {
  checkPeer(options);
  return keep({ ...bound, ...options });
}

/** Refuses options that no server would take. */
function checkPeer({ keys, room, audience, crypto }: Unbound<Pick<KeepOptions, 'keys' | 'room' | 'audience'>>): void {
  const { publicKey, seed }: Partial<KeyPair> = keys ?? {};
  if (![publicKey, seed].every((text) => typeof text === 'string' && /^[0-9a-f]{64}$/i.test(text)))
    throw new Rejection(
      'invalid-payload',
      'keys: { publicKey, seed }, each of 64 hex characters, as generateKeys() makes them',
    );
  // Keys of a crypto of the caller's own are for it to judge.
  if (crypto === undefined && keysFromSeed(seed!.toLowerCase()).publicKey !== publicKey!.toLowerCase())
    throw new Rejection('invalid-payload', 'keys: the publicKey is not that of the seed');
  if (room !== undefined && !isRoomName(room))
    throw new Rejection(
      'invalid-payload',
      `room: ${JSON.stringify(room)} is no room id; one is 1 to 128 of A-Z a-z 0-9 . _ ~ -`,
    );
  if (audience !== undefined && !/^[^\s/]+$/.test(audience))
    throw new Rejection(
      'invalid-payload',
      `audience: ${JSON.stringify(audience)} is no host; write it like 127.0.0.1:7878, as in the address`,
    );
}

/**
 * The fork that a pack of `room.forkProof` proves: two nodes that one author has signed for on one `prev`. Undefined for
 * whatever proves none.
 */
export function verifyForkProof(pack: Uint8Array): Promise<Fork | undefined> {
  return verifyProof(pack, defaultCrypto);
}

/** Grants one peer rights in one room; `seed` is the room's or the server's admin key. */
export function signToken(claims: TokenClaims, seed: string, crypto: Crypto = defaultCrypto): Promise<Token> {
  return makeToken(claims, crypto.signer(fromHex(seed)));
}

/** Proves to one server that this peer holds its key. */
export function signProof(
  claims: Pick<ProofClaims, 'room' | 'aud'> & Partial<ProofClaims>,
  keys: KeyPair,
  crypto: Crypto = defaultCrypto,
): Promise<Proof> {
  const complete = { ts: Date.now(), nonce: freshNonce(), ...claims };
  return makeProof(complete, crypto.signer(fromHex(keys.seed)));
}
