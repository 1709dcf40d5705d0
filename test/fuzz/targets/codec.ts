/** Bytes of the engine: packs, nodes, values. */
import { ByteReader } from '../../../core/src/codec/bytes/byte-reader.js';
import { ByteWriter } from '../../../core/src/codec/bytes/byte-writer.js';
import { DecodeError, equalBytes } from '../../../core/src/codec/bytes/bytes.js';
import { deflate, inflateTo } from '../../../core/src/codec/bytes/deflate.js';
import { crc32 } from '../../../core/src/codec/bytes/hash.js';
import { decodeValue, encodeValue, skipValue } from '../../../core/src/codec/bytes/msgpack.js';
import { readNode } from '../../../core/src/codec/nodes/canonical-node.js';
import { canonicalBytes } from '../../../core/src/codec/nodes/node-id.js';
import { NodeTable } from '../../../core/src/codec/nodes/node-table.js';
import { nodesIn, openMessage, openPack } from '../../../core/src/codec/packs/pack.js';
import { decodePack, encodePack } from '../../../core/src/codec/packs/plain-pack.js';
import { packVectors } from '../seeds.js';
import type { Target } from '../target.js';

export const isDecodeError = (error: unknown): boolean => error instanceof DecodeError;

const HEAD_BYTES = 3;
const CHECKSUM_BYTES = 4;
const MAGIC = 0x57;

/** Reads all of a pack, puts it into a graph, and writes it again: the nodes are the same then. */
function takePack(bytes: Uint8Array): void {
  const nodes = nodesIn(bytes);
  const { table } = openPack(bytes);
  if (table.size !== nodes) throw new Error(`it says ${nodes} nodes and has ${table.size}`);
  const again = openPack(encodePack(decodePack(bytes))).table;
  if (!equalBytes(idsOf(again), idsOf(table))) throw new Error('written again it is another pack');
}

function idsOf({ ids }: NodeTable): Uint8Array {
  return new Uint8Array(ids.values.slice(0, ids.length).buffer);
}

/** Flags, then the body; the frame around it is made. */
export function framed(input: Uint8Array): Uint8Array {
  const [flags = 0, ...rest] = input;
  const body = Uint8Array.from(rest);
  const out = new ByteWriter();
  for (const byte of [MAGIC, 1, flags]) out.byte(byte);
  out.varint(body.length);
  out.bytes((flags & 1) === 0 ? body : deflate(body));
  out.uint(crc32(out.view()), CHECKSUM_BYTES);
  return out.finish();
}

/** What `framed` makes a pack of again; nothing of one that is no such thing. */
export function unframed(pack: Uint8Array): Uint8Array[] {
  const input = new ByteReader(pack, HEAD_BYTES);
  if ((pack[2]! & 2) !== 0) return [];
  const length = input.varint();
  const content = input.bytes(Math.max(0, input.left - CHECKSUM_BYTES));
  try {
    return [Uint8Array.of(pack[2]!, ...((pack[2]! & 1) === 0 ? content : inflateTo(content, length)))];
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}

/** Rows of one message, each canonical bytes of a node. */
async function rows(): Promise<Uint8Array[]> {
  return (await packVectors()).flatMap((pack) => {
    try {
      const { table } = openPack(pack);
      return Array.from({ length: table.size }, (_, place) => canonicalBytes(table, place).view().slice());
    } catch {
      return [];
    }
  });
}

export const codecTargets: readonly Target[] = [
  { name: 'packs', seeds: packVectors, decode: takePack, isRefusal: isDecodeError },
  {
    name: 'pack-bodies',
    seeds: async () => (await packVectors()).flatMap(unframed),
    decode: (bytes) => takePack(framed(bytes)),
    isRefusal: isDecodeError,
  },
  {
    name: 'messages',
    seeds: async () => (await rows()).map((row) => Uint8Array.of(MAGIC, 1, 2, 1, ...varintOf(row.length), ...row, 0)),
    decode(bytes) {
      if (bytes.length < HEAD_BYTES) return;
      openMessage(bytes, new NodeTable());
    },
    isRefusal: isDecodeError,
  },
  {
    name: 'nodes',
    seeds: rows,
    decode(bytes) {
      const table = new NodeTable();
      readNode(table, bytes, 0, bytes.length);
      if (!equalBytes(canonicalBytes(table, 0).view(), bytes)) throw new Error('a node has two forms');
    },
    isRefusal: isDecodeError,
  },
  {
    name: 'values',
    seeds: () => VALUES.map((value) => encodeValue(value)),
    decode(bytes) {
      const value = decodeValue(bytes);
      const input = new ByteReader(bytes);
      skipValue(input);
      input.end();
      decodeValue(encodeValue(value));
    },
    isRefusal: isDecodeError,
  },
];

const VALUES: readonly unknown[] = [
  null,
  [true, false, 0, -1, 127, 128, 2 ** 40, -(2 ** 40), 0.5],
  { title: 'plan', nested: { list: [1, [2, [3]]], bytes: new Uint8Array(40) } },
  new Date(1_700_000_000_123),
  'ä'.repeat(100),
  Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i])),
];

function varintOf(value: number): number[] {
  const out = new ByteWriter();
  out.varint(value);
  return [...out.finish()];
}
