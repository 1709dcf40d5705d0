/** What a peer needs, bound to the fastest crypto of this runtime. Nothing of the host is loaded with it. */
import { type KeyPair, makeKeys } from './access/keys.js';
import { type Proof, type ProofClaims, freshNonce, makeProof } from './access/proof.js';
import { type Token, type TokenClaims, makeToken } from './access/token.js';
import { defaultCrypto } from './adapters/crypto/default.js';
import { Replica, type ReplicaOptions } from './client/replica.js';
import { type ConnectOptions, RoomClient } from './client/room-client.js';
import { fromHex } from './codec/bytes.js';

export function generateKeys(): KeyPair {
  return makeKeys((seed) => defaultCrypto.signer(seed).publicKey);
}

/** A peer's own copy of a room; `genesis` is `welcome.genesis`, decoded. */
export function createReplica(options: Omit<ReplicaOptions, 'crypto'>): Promise<Replica> {
  return Replica.open({ ...options, crypto: defaultCrypto });
}

/** Joins a room over a WebSocket; resolves when its history is merged. */
export function connectRoom(options: Omit<ConnectOptions, 'crypto'>): Promise<RoomClient> {
  return RoomClient.connect({ ...options, crypto: defaultCrypto });
}

/** Grants one peer rights in one room; `seed` is the room's or the server's admin key. */
export function signToken(claims: TokenClaims, seed: string): Promise<Token> {
  return makeToken(claims, defaultCrypto.signer(fromHex(seed)));
}

/** Proves to one server that this peer holds its key. */
export function signProof(
  claims: Pick<ProofClaims, 'room' | 'aud'> & Partial<ProofClaims>,
  keys: KeyPair,
): Promise<Proof> {
  const complete = { ts: Date.now(), nonce: freshNonce(), ...claims };
  return makeProof(complete, defaultCrypto.signer(fromHex(keys.seed)));
}
