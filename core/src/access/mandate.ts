/**
 * Mandate: what one key says of another, signed, so that whoever holds the bytes can check it without asking anybody. [MA1]
 *
 * A root of a room certifies the key that a process signs with, or takes that back; a subject does so with keys of its devices.
 * Nothing in it is a time: it counts by where it stands in the history of a room, and clocks have no say there.
 *
 *   giver (32) ‖ key (32) ‖ scope (32) ‖ until (8) ‖ serial (8) ‖ signature (64)
 */
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError, concatBytes, fromHex, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import type { Signer, Verifying } from '../ports/crypto.js';

/** What a mandate can say. Each signs under a name of its own: one that says something else never verifies. */
const TAGS = {
  /** A root certifies the key of a process. */
  signer: 'weft-signer-v1',
  'signer-revoked': 'weft-signer-revoked-v1',
  /** A root lets a key begin rooms in its name; it has no say in them afterwards. */
  founder: 'weft-founder-v1',
  /** A subject takes a key for one of its own. */
  delegate: 'weft-delegate-v1',
  'delegate-revoked': 'weft-delegate-revoked-v1',
} as const;

export type Matter = keyof typeof TAGS;

/** Scope of what holds in every room. */
export const ALL_ROOMS = '0'.repeat(64);

export interface MandateClaims {
  /** Public key of whoever is to be given something, in hex. */
  readonly key: string;
  /** Id of the genesis of the one room in which it holds, or `ALL_ROOMS`. */
  readonly scope?: string;
  /** The last lamport at which the key has it; 0: for good. */
  readonly until?: number;
  /** Number that the giver keeps its mandates by. */
  readonly serial?: number;
}

export interface Mandate extends Required<MandateClaims> {
  /** Public key of whoever signs it, in hex. */
  readonly giver: string;
  readonly signature: Uint8Array;
}

const NAME_BYTES = 32;
const NUMBER_BYTES = 8;
const SIGNATURE_BYTES = 64;
const SIGNED_BYTES = 3 * NAME_BYTES + 2 * NUMBER_BYTES;
export const MANDATE_BYTES = SIGNED_BYTES + SIGNATURE_BYTES;

/** A mandate as bytes. */
export async function makeMandate(matter: Matter, claims: MandateClaims, giver: Signer): Promise<Uint8Array> {
  const { key, scope = ALL_ROOMS, until = 0, serial = 0 } = claims;
  const out = new ByteWriter(MANDATE_BYTES);
  for (const name of [giver.publicKey, key, scope]) {
    if (!/^[0-9a-f]{64}$/.test(name))
      throw new RangeError('a mandate names keys and rooms by 64 lower-case hex characters');
    out.bytes(fromHex(name));
  }
  for (const number of [until, serial]) {
    if (!Number.isSafeInteger(number) || number < 0) throw new RangeError(`${number} is no number of a mandate`);
    out.uint(number, NUMBER_BYTES);
  }
  out.bytes(await giver.sign(messageOf(matter, out.view())));
  return out.finish();
}

/** What a mandate says; throws a `DecodeError` for what is none. The signature is not looked at. */
export function readMandate(bytes: Uint8Array): Mandate {
  const input = new ByteReader(bytes);
  const name = (): string => toHex(input.bytes(NAME_BYTES));
  const number = (): number => input.uint(NUMBER_BYTES);
  const mandate = { giver: name(), key: name(), scope: name(), until: number(), serial: number() };
  const signature = input.bytes(SIGNATURE_BYTES);
  input.end();
  return { ...mandate, signature };
}

/** The mandate, if whoever it names has signed it for this matter. */
export async function verifyMandate(
  matter: Matter,
  bytes: Uint8Array,
  crypto: Verifying,
): Promise<Mandate | undefined> {
  if (bytes.length !== MANDATE_BYTES) return undefined;
  try {
    const mandate = readMandate(bytes);
    const message = messageOf(matter, bytes.subarray(0, SIGNED_BYTES));
    return (await crypto.verify(mandate.giver, message, mandate.signature)) ? mandate : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Whether what somebody has signed is for this room. */
export function isFor({ scope }: { readonly scope: string }, room: string | undefined): boolean {
  return scope === ALL_ROOMS || scope === room;
}

function messageOf(matter: Matter, signed: Uint8Array): Uint8Array {
  return concatBytes([toUtf8(`${TAGS[matter]}\0`), signed]);
}
