/**
 * A pack: many nodes as columns, with the seals that vouch for them. [PK]
 *
 *   'W' ‖ version ‖ flags ‖ body length (varint) ‖ body, deflated when that is smaller ‖ CRC-32
 *
 * A message of few nodes has them as rows instead, each in its canonical bytes, for speed (see rows.ts).
 *
 * Nodes stand in an order in which each follows those of its ancestors that are in the pack. Ids are
 * never sent: the decoder rebuilds each node's canonical bytes and hashes them, so a pack cannot lie
 * about an id. Decoding is total (a value or one `DecodeError`), and counts are checked against the
 * bytes that are really there before anything is allocated for them.
 */
import { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError, equalBytes } from '../bytes/bytes.js';
import { deflate, deflateLater, inflateStart, inflateTo } from '../bytes/deflate.js';
import { crc32 } from '../bytes/hash.js';
import type { Attestation, Headers } from '../nodes/headers.js';
import { NodeTable } from '../nodes/node-table.js';
import { type PackBounds, PackReader } from './pack-reader.js';
import { type Places, writeNodes } from './pack-writer.js';
import { readRows, writeRows } from './rows.js';

export const PACK_BOUNDS: PackBounds = {
  nodes: 1_048_576,
  ops: 4_194_304,
  inflatedBytes: 64 * 1024 * 1024,
  canonicalBytes: 256 * 1024 * 1024,
};

export const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 32;
const CERTIFICATE_BYTES = 176;
const CHECKSUM_BYTES = 4;
const VARINT_BYTES = 8;

const MAGIC = 0x57;
const VERSION = 1;
const FLAG_DEFLATED = 1;
const FLAG_ROWS = 2;
/** Not all nodes are there with their ops. */
const FLAG_HEADERS = 4;
/** Some headers come with what is left of their ops. */
const FLAG_REMAINS = 8;
/** Whoever vouches for the headers shows a certificate. */
const FLAG_CERTIFIED = 16;
/** What he shows says how roots have changed, behind its length. */
const FLAG_LINE = 32;
/** First byte of rows. */
export const MESSAGE_AT = 3;
/** Nodes between two breaths of a page that opens a pack. */
export const SLICE_NODES = 1024;
/** Deflating less than this costs more time than the bytes are worth. */
const DEFLATE_FROM = 512;

/** The author's signature over the id of `nodes[index]`; it vouches for that node's whole chain up to there. */
export interface Seal {
  readonly index: number;
  readonly signature: Uint8Array;
}

/** A pack as columns. */
export interface OpenPack {
  readonly table: NodeTable;
  readonly seals: readonly Seal[];
  /** There if the table has headers among its nodes. */
  readonly attestation?: Attestation;
}

/** Which nodes of a pack go as headers, at least one, and whose word they have. */
export interface PackHeaders {
  readonly places: Headers;
  readonly attestation: Attestation;
}

/** `seals` by ascending index among the places. */
export function writePack(table: NodeTable, places: Places, seals: readonly Seal[], headers?: PackHeaders): Uint8Array {
  const body = new ByteWriter(1024);
  const tellsOps = writeNodes(body, table, places, headers?.places);
  writeSeals(body, seals);
  if (!headers) return frame(body.view(), 0);
  const { authority, signature, certificate } = headers.attestation;
  body.bytes(authority);
  body.bytes(signature);
  const isLine = certificate && certificate.length !== CERTIFICATE_BYTES;
  if (certificate) body[isLine ? 'sized' : 'bytes'](certificate);
  const shown = isLine ? FLAG_LINE : certificate ? FLAG_CERTIFIED : 0;
  const flags = FLAG_HEADERS | (tellsOps ? FLAG_REMAINS : 0) | shown;
  return frame(body.view(), flags);
}

/** Messages are cut from one buffer after the other: one of their own for each would cost more than its bytes. */
const MESSAGES = 64 * 1024;
/** Left at the end of each for the message that is still begun there: more than most take. */
const LAST_MESSAGE = 4 * 1024;
let messages = new ByteWriter(MESSAGES);

/** Writes the nodes at the places from index `first` on as rows. */
export function writeMessage(
  table: NodeTable,
  places: readonly number[],
  seals: readonly Seal[],
  first = 0,
): Uint8Array {
  if (messages.length > MESSAGES - LAST_MESSAGE) messages = new ByteWriter(MESSAGES);
  const from = messages.length;
  messages.byte(MAGIC);
  messages.byte(VERSION);
  messages.byte(FLAG_ROWS);
  writeRows(messages, table, places, first);
  writeSeals(messages, seals);
  return messages.since(from);
}

function writeSeals(out: ByteWriter, seals: readonly Seal[]): void {
  out.varint(seals.length);
  let before = -1;
  for (const seal of seals) {
    out.varint(seal.index - before - 1);
    out.bytes(seal.signature);
    before = seal.index;
  }
}

function frame(body: Uint8Array, flags: number): Uint8Array {
  return framed(body, body.length >= DEFLATE_FROM ? deflate(body) : body, flags);
}

/**
 * Pack in fewer bytes, where that could not be had at once: see `deflateLater`. Only for packs that were written here.
 */
export async function squeezed(pack: Uint8Array): Promise<Uint8Array> {
  if (pack.length < DEFLATE_FROM || isMessage(pack)) return pack;
  const input = new ByteReader(pack);
  const flags = readHead(input);
  if ((flags & FLAG_DEFLATED) !== 0) return pack;
  const body = input.bytes(input.varint());
  const deflated = await deflateLater(body);
  return deflated ? framed(body, deflated, flags) : pack;
}

function framed(body: Uint8Array, deflated: Uint8Array, flags: number): Uint8Array {
  const smaller = deflated.length < body.length;
  const content = smaller ? deflated : body;
  const out = new ByteWriter(content.length + 16);
  out.byte(MAGIC);
  out.byte(VERSION);
  out.byte(flags | (smaller ? FLAG_DEFLATED : 0));
  out.varint(body.length);
  out.bytes(content);
  out.uint(crc32(out.view()), 4);
  return out.finish();
}

export function isMessage(bytes: Uint8Array): boolean {
  return bytes[0] === MAGIC && bytes[1] === VERSION && bytes[2] === FLAG_ROWS;
}

/** Reader of messages: `openMessage`, or one that does the same faster. */
export type OpenMessage = typeof openMessage;

/**
 * Adds the nodes of a message to a table; answers the seals, whose indices are places there. After a `DecodeError`,
 * the table is as it was.
 */
export function openMessage(bytes: Uint8Array, table: NodeTable): readonly Seal[] {
  const size = table.size;
  try {
    const input = new ByteReader(bytes, MESSAGE_AT);
    readRows(input, table);
    const seals = readSeals(input, table.size - size);
    input.end();
    return size === 0 ? seals : seals.map(({ index, signature }) => ({ index: size + index, signature }));
  } catch (error) {
    table.truncate(size);
    throw error;
  }
}

export function openPack(bytes: Uint8Array, bounds: PackBounds = PACK_BOUNDS): OpenPack {
  if (isMessage(bytes)) {
    const table = new NodeTable();
    return { table, seals: openMessage(bytes, table) };
  }
  const opening = openBody(unframe(bytes, bounds), bounds);
  opening.reader.some(Infinity);
  return openedAll(opening);
}

/** Opens a pack slice by slice, for pages: whoever waits has a turn in between. */
export async function openSlowly(bytes: Uint8Array, pause: () => Promise<void>): Promise<OpenPack> {
  if (isMessage(bytes)) return openPack(bytes);
  const body = unframe(bytes, PACK_BOUNDS);
  await pause();
  const opening = openBody(body, PACK_BOUNDS);
  while (opening.reader.some(SLICE_NODES)) await pause();
  return openedAll(opening);
}

interface Body {
  readonly body: Uint8Array;
  readonly flags: number;
}

/** A pack whose nodes are being read: what follows them stands behind in its body. */
interface Opening {
  readonly input: ByteReader;
  readonly reader: PackReader;
  readonly flags: number;
}

function openBody({ body, flags }: Body, bounds: PackBounds): Opening {
  const input = new ByteReader(body);
  const parts = { headers: (flags & FLAG_HEADERS) !== 0, remains: (flags & FLAG_REMAINS) !== 0 };
  return { input, reader: new PackReader(input, bounds, parts), flags };
}

function openedAll({ input, reader, flags }: Opening): OpenPack {
  reader.end();
  const { table } = reader;
  const seals = readSeals(input, table.size);
  const attestation = (flags & FLAG_HEADERS) !== 0 ? readAttestation(input, flags) : undefined;
  input.end();
  return { table, seals, ...(attestation && { attestation }) };
}

function readAttestation(input: ByteReader, flags: number): Attestation {
  const attestation = { authority: input.bytes(PUBLIC_KEY_BYTES), signature: input.bytes(SIGNATURE_BYTES) };
  if ((flags & (FLAG_CERTIFIED | FLAG_LINE)) === 0) return attestation;
  return { ...attestation, certificate: (flags & FLAG_LINE) !== 0 ? input.sized() : input.bytes(CERTIFICATE_BYTES) };
}

/**
 * How many nodes a pack says it has: a look at its beginning, which costs next to nothing. Nothing else is checked; a
 * pack that lies does not open. Throws `DecodeError` for what cannot be a pack.
 */
export function nodesIn(bytes: Uint8Array): number {
  const nodes = claimedNodes(bytes);
  if (nodes > PACK_BOUNDS.nodes) throw new DecodeError('too many nodes');
  return nodes;
}

function claimedNodes(bytes: Uint8Array): number {
  if (isMessage(bytes)) return new ByteReader(bytes, MESSAGE_AT).varint();
  const input = new ByteReader(bytes);
  const flags = readHead(input);
  input.varint();
  const content = input.bytes(Math.max(0, input.left - CHECKSUM_BYTES));
  const start = (flags & FLAG_DEFLATED) !== 0 ? inflateStart(content, VARINT_BYTES) : content;
  return new ByteReader(start).varint();
}

/** Answers the flags. */
function readHead(input: ByteReader): number {
  if (input.byte() !== MAGIC) throw new DecodeError('not a pack');
  if (input.byte() !== VERSION) throw new DecodeError('unknown pack version');
  const flags = input.byte();
  const isKnown = (flags & ~(FLAG_DEFLATED | FLAG_HEADERS | FLAG_REMAINS | FLAG_CERTIFIED | FLAG_LINE)) === 0;
  if (!isKnown) throw new DecodeError('unknown pack flags');
  if ((flags & FLAG_HEADERS) === 0 && (flags & (FLAG_REMAINS | FLAG_CERTIFIED | FLAG_LINE)) !== 0)
    throw new DecodeError('what belongs to headers without headers');
  return flags;
}

function unframe(bytes: Uint8Array, bounds: PackBounds): Body {
  const input = new ByteReader(bytes);
  const flags = readHead(input);
  const length = input.varint();
  if (length > bounds.inflatedBytes) throw new DecodeError('pack exceeds 64 MiB');
  if (input.left < CHECKSUM_BYTES) throw new DecodeError('unexpected end');
  const content = input.bytes(input.left - CHECKSUM_BYTES);
  const checksum = new Uint8Array(input.bytes(4));
  const expected = new ByteWriter(4);
  expected.uint(crc32(bytes.subarray(0, bytes.length - 4)), 4);
  if (!equalBytes(checksum, expected.finish())) throw new DecodeError('pack is damaged');
  if ((flags & FLAG_DEFLATED) !== 0) return { body: inflateTo(content, length), flags };
  if (content.length !== length) throw new DecodeError('pack length is wrong');
  return { body: content, flags };
}

function readSeals(input: ByteReader, nodes: number): Seal[] {
  const count = input.count(1 + SIGNATURE_BYTES, nodes);
  const seals: Seal[] = [];
  let before = -1;
  for (let i = 0; i < count; i++) {
    const index = before + 1 + input.varint();
    if (index >= nodes) throw new DecodeError('a seal names no node of the pack');
    seals.push({ index, signature: input.bytes(SIGNATURE_BYTES) });
    before = index;
  }
  return seals;
}
