/**
 * Value root that is signed: all that a room shows at one moment, said by its authority. [VR4]
 *
 *   'R' ‖ version ‖ authority ‖ signature ‖ body
 *
 *   body: room behind its length ‖ genesis ‖ 0, or 1 and the log position ‖ state hash ‖ count of entries ‖ root of the entries
 *
 * Whoever holds the room's nodes works both hashes out and compares; whoever does not trusts the authority for them.
 */
import { MANDATE_BYTES } from '../../access/mandate.js';
import { type Speaker, checkWord, giveWord, placedCertificate, speaksIn } from '../../access/word.js';
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError, concatBytes, fromHex, fromUtf8, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { DIGEST_BYTES } from '../../codec/sha256/words.js';

const MAGIC = 0x52;
const VERSION = 1;
const CERTIFIED_VERSION = 2;
/** Whoever signed it shows how roots have changed. */
const LINE_VERSION = 3;
const TAG = toUtf8('weft-values-v1\0');
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface ValueRoot {
  readonly room: string;
  /** Id of the room's genesis. */
  readonly genesis: string;
  /** Absent where the moment is no beginning of the log. */
  readonly seq?: number | undefined;
  readonly stateHash: string;
  /** Entries that there are. */
  readonly count: number;
  readonly root: Uint8Array;
}

/** Public key of who has signed it, beside what it says. */
export type SignedValueRoot = ValueRoot & { readonly authority: string };

export interface CheckingSignatures {
  verify(publicKey: string, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

export async function signValueRoot(said: ValueRoot, speaker: Speaker): Promise<Uint8Array> {
  const out = new ByteWriter(256);
  out.sized(toUtf8(said.room));
  out.bytes(fromHex(said.genesis));
  out.varint(said.seq === undefined ? 0 : 1 + said.seq);
  out.bytes(fromHex(said.stateHash));
  out.varint(said.count);
  out.bytes(said.root);
  const body = out.finish();
  const { authority, signature, certificate } = await giveWord(messageOf(body), speaker);
  if (!certificate) return concatBytes([Uint8Array.of(MAGIC, VERSION), authority, signature, body]);
  const version = certificate.length === MANDATE_BYTES ? CERTIFIED_VERSION : LINE_VERSION;
  return concatBytes([Uint8Array.of(MAGIC, version), authority, signature, placedCertificate(certificate), body]);
}

/** What a signed value root says, where one of these authorities has signed it; throws a `DecodeError` otherwise. */
export async function openValueRoot(
  bytes: Uint8Array,
  authorities: Iterable<string>,
  crypto: CheckingSignatures,
): Promise<SignedValueRoot> {
  const input = new ByteReader(bytes);
  if (input.byte() !== MAGIC) throw new DecodeError('not a value root');
  const version = input.byte();
  if (version !== VERSION && version !== CERTIFIED_VERSION && version !== LINE_VERSION)
    throw new DecodeError('unknown version of a value root');
  const signed = { authority: input.bytes(KEY_BYTES), signature: input.bytes(SIGNATURE_BYTES) };
  const shown = (): Uint8Array => (version === LINE_VERSION ? input.sized() : input.bytes(MANDATE_BYTES));
  const word = version === VERSION ? signed : { ...signed, certificate: shown() };
  const body = bytes.subarray(input.position);
  const said = readBody(input);
  const vouched = await checkWord(word, messageOf(body), crypto);
  if (!vouched) throw new DecodeError('a value root has a wrong signature');
  if (!speaksIn(vouched, new Set(authorities), said.genesis))
    throw new DecodeError('a value root is signed by nobody who speaks for the room');
  return { authority: vouched.authority, ...said };
}

function readBody(input: ByteReader): ValueRoot {
  const room = fromUtf8(input.sized());
  const genesis = toHex(input.bytes(DIGEST_BYTES));
  const position = input.varint();
  const stateHash = toHex(input.bytes(DIGEST_BYTES));
  const count = input.varint();
  const root = input.bytes(DIGEST_BYTES);
  input.end();
  return { room, genesis, seq: position === 0 ? undefined : position - 1, stateHash, count, root };
}

function messageOf(body: Uint8Array): Uint8Array {
  return concatBytes([TAG, sha256(body)]);
}
