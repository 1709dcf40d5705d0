/**
 * Proof that a peer holds the key it names, made afresh for each connection. [PF1]
 *
 * It covers room, key, time, a nonce and the host that was dialled, so it cannot be used elsewhere,
 * later or twice.
 */
import { concatBytes, fromHex, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import type { Signer } from '../ports/crypto.js';
import { littleEndian64 } from './token.js';

const TAG = toUtf8('weft-hello-v1');
const ZERO = new Uint8Array(1);
const NONCE_BYTES = 16;

export interface ProofClaims {
  readonly room: string;
  /** Lower-case `host:port` that the peer dials. */
  readonly aud: string;
  /** Unix milliseconds. */
  readonly ts: number;
  /** 16 bytes, hex. */
  readonly nonce: string;
}

/** What goes into `hello.proof`. */
export interface Proof {
  readonly ts: number;
  readonly nonce: string;
  readonly aud: string;
  readonly sig: string;
}

export function proofMessage(peer: string, { room, aud, ts, nonce }: ProofClaims): Uint8Array {
  const nonceBytes = fromHex(nonce);
  if (nonceBytes.length !== NONCE_BYTES) throw new RangeError('a nonce is 16 bytes');
  return concatBytes([TAG, ZERO, toUtf8(room), ZERO, fromHex(peer), littleEndian64(ts), nonceBytes, toUtf8(aud)]);
}

export async function makeProof(claims: ProofClaims, signer: Signer): Promise<Proof> {
  const sig = toHex(await signer.sign(proofMessage(signer.publicKey, claims)));
  return { ts: claims.ts, nonce: claims.nonce, aud: claims.aud, sig };
}

export function freshNonce(): string {
  return toHex(globalThis.crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}
