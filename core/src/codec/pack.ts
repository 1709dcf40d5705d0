/**
 * A pack: many nodes as columns, with the seals that vouch for them. [PK]
 *
 *   'W' ‖ version ‖ flags ‖ body length (varint) ‖ body, deflated when that is smaller ‖ CRC-32
 *
 * Nodes stand in an order in which each follows those of its ancestors that are in the pack. Ids are
 * never sent: the decoder rebuilds each node's canonical bytes and hashes them, so a pack cannot lie
 * about an id. Decoding is total (a value or one `DecodeError`), and counts are checked against the
 * bytes that are really there before anything is allocated for them.
 */
import { Inflate, deflateSync } from 'fflate';
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import { DecodeError, equalBytes } from './bytes.js';
import { crc32 } from './hash.js';
import { nodeId } from './node-id.js';
import { PackReader } from './pack-reader.js';
import { PackWriter, type PackedNode } from './pack-writer.js';

export const PACK_BOUNDS = {
  nodes: 1_048_576,
  ops: 4_194_304,
  inflatedBytes: 64 * 1024 * 1024,
  /** Of all nodes together: a key stands in a pack once and in the canonical bytes of each node that names it. */
  canonicalBytes: 256 * 1024 * 1024,
};

export type PackBounds = typeof PACK_BOUNDS;

export const SIGNATURE_BYTES = 64;

const MAGIC = 0x57;
const VERSION = 1;
const FLAG_DEFLATED = 1;
/** Deflating less than this costs more time than the bytes are worth. */
const DEFLATE_FROM = 512;
/** Deflate cannot make more of a byte than this. */
const DEFLATE_MOST = 1032;
const INFLATE_SLICE = 512;

/** The author's signature over the id of `nodes[index]`; it vouches for that node's whole chain up to there. */
export interface Seal {
  readonly index: number;
  readonly signature: Uint8Array;
}

export interface Pack {
  readonly nodes: readonly PackedNode[];
  readonly seals: readonly Seal[];
}

export function encodePack(pack: Pack): Uint8Array {
  const body = new ByteWriter(1024);
  const writer = new PackWriter();
  for (const node of pack.nodes) writer.add(node);
  writer.finish(body);
  body.varint(pack.seals.length);
  let before = -1;
  for (const seal of pack.seals) {
    body.varint(seal.index - before - 1);
    body.bytes(seal.signature);
    before = seal.index;
  }
  return frame(body.finish());
}

function frame(body: Uint8Array): Uint8Array {
  const deflated = body.length >= DEFLATE_FROM ? deflateSync(body, { level: 6 }) : body;
  const smaller = deflated.length < body.length;
  const out = new ByteWriter(deflated.length + 16);
  out.byte(MAGIC);
  out.byte(VERSION);
  out.byte(smaller ? FLAG_DEFLATED : 0);
  out.varint(body.length);
  out.bytes(smaller ? deflated : body);
  const content = out.finish();
  out.uint(crc32(content), 4);
  return out.finish();
}

export function decodePack(bytes: Uint8Array, bounds: PackBounds = PACK_BOUNDS): Pack {
  const input = new ByteReader(unframe(bytes, bounds));
  const nodes: PackedNode[] = [];
  let hashed = 0;
  const reader = new PackReader(input, bounds, (place) => nodes[place]?.id);
  while (nodes.length < reader.count) {
    const fields = reader.next();
    const { id, bytes: length } = nodeId(fields);
    hashed += length;
    if (hashed > bounds.canonicalBytes) throw new DecodeError('the nodes of the pack exceed 256 MiB');
    nodes.push({ ...fields, id });
  }
  reader.end();
  const seals = readSeals(input, nodes.length);
  input.end();
  return { nodes, seals };
}

function unframe(bytes: Uint8Array, bounds: PackBounds): Uint8Array {
  const input = new ByteReader(bytes);
  if (input.byte() !== MAGIC) throw new DecodeError('not a pack');
  if (input.byte() !== VERSION) throw new DecodeError('unknown pack version');
  const flags = input.byte();
  if (flags > FLAG_DEFLATED) throw new DecodeError('unknown pack flags');
  const length = input.varint();
  if (length > bounds.inflatedBytes) throw new DecodeError('pack exceeds 64 MiB');
  if (input.left < 4) throw new DecodeError('unexpected end');
  const content = input.bytes(input.left - 4);
  const checksum = new Uint8Array(input.bytes(4));
  const expected = new ByteWriter(4);
  expected.uint(crc32(bytes.subarray(0, bytes.length - 4)), 4);
  if (!equalBytes(checksum, expected.finish())) throw new DecodeError('pack is damaged');
  if (flags === 0) {
    if (content.length !== length) throw new DecodeError('pack length is wrong');
    return content;
  }
  return inflate(content, length);
}

/** Fed in slices, so that a bomb is noticed at its first byte too many and costs no more than one slice makes of it. */
function inflate(content: Uint8Array, length: number): Uint8Array {
  if (length > content.length * DEFLATE_MOST) throw new DecodeError('pack length is wrong');
  const body = new Uint8Array(length);
  let at = 0;
  let ended = false;
  const inflater = new Inflate((piece, final) => {
    if (at + piece.length > length) throw new DecodeError('pack length is wrong');
    body.set(piece, at);
    at += piece.length;
    ended = final;
  });
  try {
    for (let from = 0; from < content.length; from += INFLATE_SLICE) {
      const to = Math.min(from + INFLATE_SLICE, content.length);
      inflater.push(content.subarray(from, to), to === content.length);
    }
  } catch (error) {
    throw error instanceof DecodeError ? error : new DecodeError('pack does not inflate');
  }
  if (!ended || at !== length) throw new DecodeError('pack length is wrong');
  return body;
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
