/**
 * The canonical bytes of one node: what its id is the SHA-256 of, and what its wire form is. [ND1]
 *
 *   room (32) ‖ author (32) ‖ prev (32, zeros when there is none) ‖ version ‖ parents ‖ wall_ms ‖ ops
 *
 * `room` and `author` are constant on a chain and fill exactly one block of the hash, so its state
 * after that block can be kept per chain; `prev` starts on a word boundary of the second block.
 * Everything after `prev` is canonical MessagePack.
 */
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';
import {
  readArray,
  readBytes,
  readOptionalUint,
  readUint,
  writeArray,
  writeBytes,
  writeNil,
  writeUint,
} from './msgpack.js';
import { type Op, checkOp, readOp, writeOp } from './op.js';

/** Protocol constants: the same on every replica, never configurable. [ND5] */
export const NODE_BOUNDS = {
  bytes: 1024 * 1024,
  parents: 256,
  ops: 65_536,
  keyBytes: 4096,
  wallMs: 2 ** 48,
} as const;

export const NODE_VERSION = 1;
export const ID_BYTES = 32;

export interface NodeFields {
  readonly room: Uint8Array;
  readonly author: Uint8Array;
  readonly prev?: Uint8Array;
  readonly parents: readonly Uint8Array[];
  readonly wallMs?: number;
  readonly ops: readonly Op[];
}

const NO_PREV = new Uint8Array(ID_BYTES);

export function encodeNode(node: NodeFields): Uint8Array {
  const out = new ByteWriter(256);
  writeNode(out, node);
  return out.finish();
}

/** Writes the canonical bytes behind what `out` holds. */
export function writeNode(out: ByteWriter, node: NodeFields): void {
  out.bytes(node.room);
  out.bytes(node.author);
  out.bytes(node.prev ?? NO_PREV);
  writeUint(out, NODE_VERSION);
  writeArray(out, node.parents.length);
  for (const parent of node.parents) writeBytes(out, parent);
  if (node.wallMs === undefined) writeNil(out);
  else writeUint(out, node.wallMs);
  writeArray(out, node.ops.length);
  for (const op of node.ops) writeOp(out, op);
}

/** Strict: each second form of the same node is refused, so bytes and node determine each other. */
export function decodeNode(bytes: Uint8Array): NodeFields {
  if (bytes.length > NODE_BOUNDS.bytes) throw new DecodeError('node exceeds 1 MiB');
  const input = new ByteReader(bytes);
  const room = input.bytes(ID_BYTES);
  const author = input.bytes(ID_BYTES);
  const prev = input.bytes(ID_BYTES);
  if (readUint(input) !== NODE_VERSION) throw new DecodeError('unknown node version');
  const parents = Array.from({ length: readArray(input, NODE_BOUNDS.parents) }, () => readBytes(input));
  const wallMs = readOptionalUint(input);
  const ops = Array.from({ length: readArray(input, NODE_BOUNDS.ops) }, () => readOp(input, bytes));
  input.end();
  const hasPrev = prev.some((byte) => byte !== 0);
  const node = {
    room,
    author,
    ...(hasPrev ? { prev } : {}),
    parents,
    ...(wallMs === undefined ? {} : { wallMs }),
    ops,
  };
  checkNode(node);
  return node;
}

/** The rules of a node that need nothing but the node. [ND2] */
export function checkNode(node: NodeFields): void {
  if (node.parents.length > NODE_BOUNDS.parents) throw new DecodeError('more than 256 parents');
  if (node.ops.length > NODE_BOUNDS.ops) throw new DecodeError('more than 65,536 ops');
  if ((node.wallMs ?? 0) > NODE_BOUNDS.wallMs) throw new DecodeError('the clock is beyond the year 10,000');
  if (node.prev?.every((byte) => byte === 0)) throw new DecodeError('prev is zeros, which stand for none');
  let before: Uint8Array | undefined;
  for (const parent of node.parents) {
    if (parent.length !== ID_BYTES) throw new DecodeError('a parent is not 32 bytes');
    if (before && compareIds(before, parent) >= 0) throw new DecodeError('parents are not a sorted set');
    if (node.prev && compareIds(node.prev, parent) === 0) throw new DecodeError('prev is repeated among the parents');
    before = parent;
  }
  const joined = node.parents.length + (node.prev ? 1 : 0);
  if (node.ops.length === 0 && joined < 2) throw new DecodeError('a node without ops must merge two heads');
  for (const op of node.ops) {
    checkKey(op.key);
    checkOp(op);
  }
}

const utf8 = new TextEncoder();
/** A key of so many UTF-16 units fits, whatever they are. */
const SHORT_KEY = NODE_BOUNDS.keyBytes / 3;

export function checkKey(key: string): void {
  if (key.length === 0) throw new DecodeError('a key is empty');
  if (key.length <= SHORT_KEY) return;
  const bytes = key.length > NODE_BOUNDS.keyBytes ? key.length : utf8.encode(key).length;
  if (bytes > NODE_BOUNDS.keyBytes) throw new DecodeError('a key exceeds 4,096 bytes');
}

/** Bytewise order of ids: the order of parents in a node, and the last tie-break of the canonical order. */
export function compareIds(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < ID_BYTES; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
