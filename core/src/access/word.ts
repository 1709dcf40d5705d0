/**
 * Word of an authority: its signature under what stands outside the history of a room, such as headers, a snapshot or a tombstone. [MA5]
 *
 * A key that is no root of the genesis shows beside it what makes it speak, so that nobody has to fetch that to verify what he
 * holds: the mandate of a root, and where the roots have changed, how.
 */
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError, fromHex, toHex } from '../codec/bytes/bytes.js';
import type { Attestation } from '../codec/nodes/headers.js';
import type { Signer, Verifying } from '../ports/crypto.js';
import { MANDATE_BYTES, type Mandate, isFor, verifyMandate } from './mandate.js';
import { type Reign, accessionTo, firstReign, reignBy } from './reign.js';
import { readSuccession, readSuccessions, verifySuccession } from './succession.js';

/** Speaker: signs for a room, with a certificate unless it is a root of the room's genesis. */
export interface Speaker extends Signer {
  readonly certificate?: Uint8Array;
}

/** Whose signature something has, and what makes that one speak. */
export interface Vouched {
  readonly authority: string;
  readonly mandate?: Mandate;
  /** Successions since the genesis, oldest first. */
  readonly line?: readonly Uint8Array[];
}

/**
 * What a key shows beside its signatures: a mandate alone, or whether there is one (1), the mandate and the successions. Such a one
 * is never as long as a mandate.
 */
export function certificateOf(mandate: Uint8Array | undefined, line: readonly Uint8Array[]): Uint8Array | undefined {
  if (line.length === 0) return mandate;
  const out = new ByteWriter(1024);
  out.byte(mandate ? 1 : 0);
  if (mandate) out.bytes(mandate);
  out.byte(line.length);
  for (const bytes of line) out.bytes(bytes);
  return out.finish();
}

/** Throws a `DecodeError` for what is no certificate. */
export function readCertificate(certificate: Uint8Array): {
  readonly mandate: Uint8Array | undefined;
  readonly line: readonly Uint8Array[];
} {
  if (certificate.length === MANDATE_BYTES) return { mandate: certificate, line: [] };
  const input = new ByteReader(certificate);
  const has = input.byte();
  if (has > 1) throw new DecodeError('not a certificate');
  const mandate = has === 1 ? input.bytes(MANDATE_BYTES) : undefined;
  const line = readSuccessions(input);
  input.end();
  return { mandate, line };
}

/** A certificate as it stands behind a signature: a mandate as it is, anything else behind its length. */
export function placedCertificate(certificate: Uint8Array): Uint8Array {
  if (certificate.length === MANDATE_BYTES) return certificate;
  const out = new ByteWriter(certificate.length + 4);
  out.sized(certificate);
  return out.finish();
}

export async function giveWord(message: Uint8Array, speaker: Speaker): Promise<Attestation> {
  const { publicKey, certificate } = speaker;
  const word = { authority: fromHex(publicKey), signature: await speaker.sign(message) };
  return certificate ? { ...word, certificate } : word;
}

/** Whose word it is, if all signatures hold: whether that one speaks for a room, `speaksIn` says. */
export async function checkWord(
  { authority: key, signature, certificate }: Attestation,
  message: Uint8Array,
  crypto: Verifying,
): Promise<Vouched | undefined> {
  const authority = toHex(key);
  if (!(await crypto.verify(authority, message, signature))) return undefined;
  if (!certificate) return { authority };
  const read = readOrNone(certificate);
  if (!read) return undefined;
  const { mandate: given, line } = read;
  for (const bytes of line) if (!(await verifySuccession(bytes, crypto))) return undefined;
  const shown = line.length > 0 ? { authority, line } : { authority };
  if (!given) return shown;
  const mandate = await verifyMandate('signer', given, crypto);
  return mandate?.key === authority ? { ...shown, mandate } : undefined;
}

function readOrNone(certificate: Uint8Array): ReturnType<typeof readCertificate> | undefined {
  try {
    return readCertificate(certificate);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Whether somebody with such a mandate speaks where these are the roots. */
export function speaksUnder(
  { authority, mandate }: Vouched,
  roots: { has(key: string): boolean },
  room: string | undefined,
): boolean {
  if (!mandate) return roots.has(authority);
  return roots.has(mandate.giver) && isFor(mandate, room);
}

/** Whether somebody speaks for a room that began so, by what he shows. */
export function speaksIn(vouched: Vouched, first: ReadonlySet<string> | Reign, room: string | undefined): boolean {
  let reign = 'roots' in first ? first : firstReign(first);
  if (speaksUnder(vouched, reign.roots, room)) return true;
  for (const bytes of vouched.line ?? []) {
    const accession = accessionTo(reign, bytes, readSuccession(bytes), room);
    if (!accession) return false;
    reign = reignBy(accession);
  }
  return speaksUnder(vouched, reign.roots, room);
}
