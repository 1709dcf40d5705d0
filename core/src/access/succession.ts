/**
 * Succession: who the roots of a room are from now on, signed by those before them, so that whoever holds the bytes can check it. [MA6]
 *
 *   scope (32) ‖ serial (8) ‖ recovery (32) ‖ roots (1 + 32 each) ‖ address (sized) ‖ signatures (1 + 32 + 64 each)
 *
 * Most of the roots so far have to sign it, or the one recovery key of which the room knows nothing but the hash: that one outranks
 * them, since it is asked when a root is lost or in wrong hands.
 */
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError, concatBytes, equalBytes, fromHex, fromUtf8, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import type { Signer, Verifying } from '../ports/crypto.js';
import { ALL_ROOMS } from './mandate.js';

const TAG = 'weft-roots-v1\0';
const NAME_BYTES = 32;
const SIGNATURE_BYTES = 64;
const NUMBER_BYTES = 8;
/** Bound of the roots of a room, and of the signatures under a succession. */
const MOST = 8;
const ADDRESS_BYTES = 255;
/** Recovery of a room that has no such key. */
export const NO_RECOVERY = '0'.repeat(64);

export interface SuccessionClaims {
  /** Public keys in hex, 1 to 8. */
  readonly roots: readonly string[];
  /** Id of the genesis of the one room in which it holds, or `ALL_ROOMS`. */
  readonly scope?: string;
  /** Number that tells it from others; of two that do not know of each other, the greater one counts. */
  readonly serial?: number;
  /** `recoveryOf` the key that is to be asked next, or `NO_RECOVERY`. */
  readonly recovery?: string;
  /** Where the room is from now on, if it moves: what a server tells those who come to the old place. */
  readonly address?: string;
}

export interface Succession extends Required<SuccessionClaims> {
  /** Who has signed it. */
  readonly signers: readonly string[];
}

/** What a room knows of its recovery key until that is used. */
export function recoveryOf(key: string): string {
  return toHex(sha256(fromHex(key)));
}

/** What a succession is remembered by when its signatures were checked. */
export function nameOfSuccession(bytes: Uint8Array): string {
  return `roots ${toHex(bytes)}`;
}

/** A succession as bytes, with the signatures of these. */
export async function makeSuccession(claims: SuccessionClaims, signers: readonly Signer[]): Promise<Uint8Array> {
  const stated = statement(claims);
  const message = messageOf(stated);
  const signatures = new Map<string, Uint8Array>();
  for (const signer of signers) signatures.set(signer.publicKey, await signer.sign(message));
  return signed(stated, signatures);
}

/** A succession with one more signature: the keys of roots may lie on machines that never meet. */
export async function signSuccession(bytes: Uint8Array, signer: Signer): Promise<Uint8Array> {
  const { stated, message, signatures } = partsOf(bytes);
  return signed(stated, new Map([...signatures, [signer.publicKey, await signer.sign(message)]]));
}

/** One with the signatures of all of these; throws a `RangeError` where they say different things. */
export function joinSuccessions(all: readonly Uint8Array[]): Uint8Array {
  const parts = all.map((bytes) => partsOf(bytes));
  const [{ stated } = { stated: new Uint8Array() }] = parts;
  if (parts.some((one) => !equalBytes(one.stated, stated))) throw new RangeError('these successions are not the same');
  return signed(stated, new Map(parts.flatMap(({ signatures }) => [...signatures])));
}

/** What is signed, as bytes. */
function statement(claims: SuccessionClaims): Uint8Array {
  const { roots, scope = ALL_ROOMS, serial = 0, recovery = NO_RECOVERY, address = '' } = claims;
  const out = new ByteWriter(512);
  for (const name of [scope, recovery, ...roots])
    if (!/^[0-9a-f]{64}$/.test(name)) throw new RangeError(`${name} is not 64 lower-case hex characters`);
  if (!Number.isSafeInteger(serial) || serial < 0) throw new RangeError(`${serial} is no number of a succession`);
  const where = toUtf8(address);
  if (where.length > ADDRESS_BYTES) throw new RangeError(`an address takes at most ${ADDRESS_BYTES} bytes`);
  out.bytes(fromHex(scope));
  out.uint(serial, NUMBER_BYTES);
  out.bytes(fromHex(recovery));
  writeNames(out, roots);
  out.sized(where);
  return out.finish();
}

function signed(stated: Uint8Array, signatures: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const out = new ByteWriter(512);
  out.bytes(stated);
  const keys = [...signatures.keys()].sort();
  out.byte(expectSome(keys));
  for (const key of keys) {
    out.bytes(fromHex(key));
    out.bytes(signatures.get(key)!);
  }
  return out.finish();
}

function writeNames(out: ByteWriter, names: readonly string[]): void {
  const sorted = [...new Set(names)].sort();
  out.byte(expectSome(sorted));
  for (const name of sorted) out.bytes(fromHex(name));
}

function expectSome(names: readonly string[]): number {
  if (names.length === 0 || names.length > MOST) throw new RangeError(`a succession names 1 to ${MOST} keys`);
  return names.length;
}

interface Parts extends Succession {
  /** What is signed. */
  readonly stated: Uint8Array;
  readonly message: Uint8Array;
  readonly signatures: ReadonlyMap<string, Uint8Array>;
}

/** What a succession says; throws a `DecodeError` for what is none. The signatures are not looked at. */
export function readSuccession(bytes: Uint8Array): Succession {
  return partsOf(bytes);
}

function partsOf(bytes: Uint8Array): Parts {
  const input = new ByteReader(bytes);
  const parts = readParts(input);
  input.end();
  return parts;
}

function readParts(input: ByteReader): Parts {
  const from = input.position;
  const name = (): string => toHex(input.bytes(NAME_BYTES));
  const scope = name();
  const serial = input.uint(NUMBER_BYTES);
  const recovery = name();
  const roots = Array.from({ length: countOf(input) }, name);
  const where = input.sized();
  if (where.length > ADDRESS_BYTES) throw new DecodeError('an address is too long');
  const address = fromUtf8(where);
  const stated = input.source.subarray(from, input.position);
  const message = messageOf(stated);
  const all = Array.from({ length: countOf(input) }, () => [name(), input.bytes(SIGNATURE_BYTES)] as const);
  const signers = all.map(([key]) => key);
  if (!isAscending(roots) || !isAscending(signers)) throw new DecodeError('keys of a succession are not in order');
  return { scope, serial, recovery, roots, address, signers, stated, message, signatures: new Map(all) };
}

function countOf(input: ByteReader): number {
  const count = input.byte();
  if (count === 0 || count > MOST) throw new DecodeError('a succession names too many keys, or none');
  return count;
}

function isAscending(names: readonly string[]): boolean {
  return names.every((name, i) => i === 0 || names[i - 1]! < name);
}

function messageOf(signed: Uint8Array): Uint8Array {
  return concatBytes([toUtf8(TAG), signed]);
}

/** The succession, if everybody whom it names has signed it. */
export async function verifySuccession(bytes: Uint8Array, crypto: Verifying): Promise<Succession | undefined> {
  try {
    const { stated: _, message, signatures, ...succession } = partsOf(bytes);
    for (const [key, signature] of signatures) if (!(await crypto.verify(key, message, signature))) return undefined;
    return succession;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Several, one after the other, as they stand in a certificate. */
export function readSuccessions(input: ByteReader): Uint8Array[] {
  return Array.from({ length: countOf(input) }, () => {
    const from = input.position;
    readParts(input);
    return input.source.slice(from, input.position);
  });
}
