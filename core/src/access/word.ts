/**
 * Word of an authority: its signature under what stands outside the history of a room, such as headers, a snapshot or a tombstone. [MA5]
 *
 * A key that is no root shows its certificate beside it, so that nobody has to fetch one to verify what he holds.
 */
import { fromHex, toHex } from '../codec/bytes/bytes.js';
import type { Attestation } from '../codec/nodes/headers.js';
import type { Signer, Verifying } from '../ports/crypto.js';
import { type Mandate, isFor, verifyMandate } from './mandate.js';

/** Speaker: signs for a room, with the certificate of a root unless it is one. */
export interface Speaker extends Signer {
  readonly certificate?: Uint8Array;
}

/** Whose signature something has: a key, and what a root says of it. */
export interface Vouched {
  readonly authority: string;
  readonly mandate?: Mandate;
}

export async function giveWord(message: Uint8Array, speaker: Speaker): Promise<Attestation> {
  const { publicKey, certificate } = speaker;
  const word = { authority: fromHex(publicKey), signature: await speaker.sign(message) };
  return certificate ? { ...word, certificate } : word;
}

/** Whose word it is, if signature and certificate hold: whether that one speaks for a room, `speaksIn` says. */
export async function checkWord(
  { authority: key, signature, certificate }: Attestation,
  message: Uint8Array,
  crypto: Verifying,
): Promise<Vouched | undefined> {
  const authority = toHex(key);
  if (!(await crypto.verify(authority, message, signature))) return undefined;
  if (!certificate) return { authority };
  const mandate = await verifyMandate('signer', certificate, crypto);
  return mandate?.key === authority ? { authority, mandate } : undefined;
}

/** Whether these roots of a room let somebody speak for it. */
export function speaksIn(
  { authority, mandate }: Vouched,
  roots: { has(key: string): boolean },
  room: string | undefined,
): boolean {
  if (!mandate) return roots.has(authority);
  return roots.has(mandate.giver) && isFor(mandate, room);
}
