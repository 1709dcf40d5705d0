/**
 * Tombstone: what the authority says of a room that was deleted. It stands where the room's log was. [DE2]
 *
 *   'T' ‖ 1 ‖ authority ‖ signature ‖ body
 *   'T' ‖ 2 ‖ authority ‖ signature ‖ certificate ‖ body
 *   'T' ‖ 3 ‖ authority ‖ signature ‖ certificate behind its length ‖ body
 *
 *   body: room behind its length ‖ genesis ‖ nodes ‖ deleted at ‖ until ‖ who asked, behind its length
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError, concatBytes, fromHex, fromUtf8, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { MANDATE_BYTES } from '../../access/mandate.js';
import { type Speaker, type Vouched, checkWord, giveWord, placedCertificate } from '../../access/word.js';
import { sha256 } from '../../codec/bytes/hash.js';
import type { Crypto } from '../../ports/crypto.js';

const MAGIC = 0x54;
const VERSION = 1;
const CERTIFIED_VERSION = 2;
/** Whoever signed it shows how roots have changed. */
const LINE_VERSION = 3;
const TAG = toUtf8('weft-tombstone-v1\0');
const HASH_BYTES = 32;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface Tombstone {
  readonly room: string;
  /** Id of the genesis of the room that was deleted. */
  readonly genesis: string;
  /** Nodes that its log had. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** Unix milliseconds from which on there may be a room of that name again; 0: never. */
  readonly until: number;
  /** Who asked for it. */
  readonly by: string;
}

/** What it says, and who has signed it. */
export type SignedTombstone = Tombstone & Vouched;

export async function makeTombstone(tombstone: Tombstone, speaker: Speaker): Promise<Uint8Array> {
  const body = new ByteWriter(256);
  body.sized(toUtf8(tombstone.room));
  body.bytes(fromHex(tombstone.genesis));
  body.varint(tombstone.seq);
  body.varint(tombstone.at);
  body.varint(tombstone.until);
  body.sized(toUtf8(tombstone.by));
  const bytes = body.finish();
  const { authority, signature, certificate } = await giveWord(messageOf(bytes), speaker);
  if (!certificate) return concatBytes([Uint8Array.of(MAGIC, VERSION), authority, signature, bytes]);
  const version = certificate.length === MANDATE_BYTES ? CERTIFIED_VERSION : LINE_VERSION;
  return concatBytes([Uint8Array.of(MAGIC, version), authority, signature, placedCertificate(certificate), bytes]);
}

/** What a tombstone says; throws a `DecodeError` for what is none. The signature is not looked at. */
export function readTombstone(bytes: Uint8Array): SignedTombstone {
  const { word, body } = partsOf(bytes);
  const input = new ByteReader(body);
  const tombstone = {
    authority: toHex(word.authority),
    room: fromUtf8(input.sized()),
    genesis: toHex(input.bytes(HASH_BYTES)),
    seq: input.varint(),
    at: input.varint(),
    until: input.varint(),
    by: fromUtf8(input.sized()),
  };
  input.end();
  return tombstone;
}

/** What a tombstone says, if the authority that it names has signed it: whether that one spoke for the room, `speaksIn` says. */
export async function verifyTombstone(bytes: Uint8Array, crypto: Crypto): Promise<SignedTombstone | undefined> {
  const tombstone = readTombstone(bytes);
  const { word, body } = partsOf(bytes);
  const vouched = await checkWord(word, messageOf(body), crypto);
  return vouched && { ...tombstone, ...vouched };
}

/** Name of a deletion: another room of that name begins with it, so that no two are ever the same. [GN2] */
export function nameOfDeletion(tombstone: Uint8Array): string {
  return toHex(sha256(tombstone));
}

function partsOf(bytes: Uint8Array) {
  const input = new ByteReader(bytes);
  if (input.byte() !== MAGIC) throw new DecodeError('not a tombstone');
  const version = input.byte();
  if (version !== VERSION && version !== CERTIFIED_VERSION && version !== LINE_VERSION)
    throw new DecodeError('unknown version of a tombstone');
  const signed = { authority: input.bytes(KEY_BYTES), signature: input.bytes(SIGNATURE_BYTES) };
  const shown = (): Uint8Array => (version === LINE_VERSION ? input.sized() : input.bytes(MANDATE_BYTES));
  const word = version === VERSION ? signed : { ...signed, certificate: shown() };
  return { word, body: bytes.subarray(input.position) };
}

function messageOf(body: Uint8Array): Uint8Array {
  return concatBytes([TAG, sha256(body)]);
}
