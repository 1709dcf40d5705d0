/**
 * Tokens and proofs inside dialogues:
 *
 *   { "$token": { "for": "ann", "by": "admin", "caps": ["room.admin"], "ttl": 60 } }
 *   { "$proof": { "by": "ann" } }
 *
 * `by` of a token is who signs it: `admin` holds the server's admin key. `ttl` is in seconds and may be negative; `room`
 * says for which room it is made, if not for this one. A proof is made for the name that was dialled and for now, unless
 * `aud` and `ago` (seconds) say otherwise. `as` keeps it under a name, to be shown again as "$name".
 */
import { type Proof, type Token, signProof, signToken } from '@weft/core';
import type { Kept } from './matching.js';
import { keysOf } from './pack-directive.js';

export interface TokenDirective {
  readonly for: string;
  readonly by: string;
  readonly caps?: readonly string[];
  readonly ttl?: number;
  readonly room?: string;
  readonly as?: string;
}

export interface ProofDirective {
  readonly by: string;
  readonly aud?: string;
  readonly ago?: number;
  readonly room?: string;
  readonly as?: string;
}

/** Room and address of the peer, for which credentials are made unless they say otherwise. */
export interface Place {
  readonly room: string;
  readonly audience: string;
}

export async function buildToken(directive: TokenDirective, place: Place, kept: Kept): Promise<Token> {
  const { for: peer, by, caps = [], ttl = 60, room = place.room, as } = directive;
  const expiry = Math.floor(Date.now() / 1000) + ttl;
  const token = await signToken({ room, peer: keysOf(peer).publicKey, expiry, caps }, keysOf(by).seed);
  if (as !== undefined) kept.set(`$${as}`, token);
  return token;
}

export async function buildProof(directive: ProofDirective, place: Place, kept: Kept): Promise<Proof> {
  const { by, aud = place.audience, ago = 0, room = place.room, as } = directive;
  const proof = await signProof({ room, aud, ts: Date.now() - ago * 1000 }, keysOf(by));
  if (as !== undefined) kept.set(`$${as}`, proof);
  return proof;
}
