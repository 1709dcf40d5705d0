/**
 * The canonical bytes of one node: what its id is the SHA-256 of, and what its wire form is. [ND1]
 *
 *   room (32) ‖ author (32) ‖ prev (32, zeros when there is none) ‖ version ‖ parents ‖ wall_ms ‖ ops
 *
 * `room` and `author` are constant on a chain and fill exactly one block of the hash, so its state
 * after that block can be kept per chain; `prev` starts on a word boundary of the second block.
 * Everything after `prev` is canonical MessagePack.
 */
import { compareIds, isSameId } from './compared-ids.js';
import { ByteReader } from '../bytes/byte-reader.js';
import type { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError, utf16Length } from '../bytes/bytes.js';
import {
  readArray,
  readBytes,
  readOptionalUint,
  readText,
  readTextHead,
  readUint,
  readValue,
  takeNil,
  writeArray,
  writeNil,
  writeTextHead,
  writeUint,
} from '../bytes/msgpack.js';
import { DIGEST_BYTES, DIGEST_WORDS, readWords } from '../sha256/words.js';
import { equalIds } from './id-index.js';
import { isIdentityAt } from './identity.js';
import { KEY_BYTES } from './key-table.js';
import { NONE, type NodeTable, OWN } from './node-table.js';
import {
  DORMANT,
  OP_DELETE,
  OP_LIST_DELETE,
  OP_LIST_INSERT_LEFT,
  OP_LIST_INSERT_RIGHT,
  OP_LIST_MOVE_LEFT,
  OP_LIST_MOVE_RIGHT,
  OP_SET,
  OP_SET_BLOB,
  OP_TEXT_DELETE,
  OP_TEXT_INSERT_LEFT,
  OP_TEXT_INSERT_RIGHT,
  OP_TEXT_MARK,
} from './op-kinds.js';

/** Protocol constants: the same on every replica, never configurable. [ND5] */
export const NODE_BOUNDS = {
  bytes: 1024 * 1024,
  parents: 256,
  ops: 65_536,
  keyBytes: KEY_BYTES,
  wallMs: 2 ** 48,
} as const;

/** Bounds of each mark, the same on every replica. [ND9] */
const MARK_BOUNDS = { nameBytes: 256, valueBytes: 16 * 1024 } as const;

const NODE_VERSION = 1;
export const ID_BYTES = DIGEST_BYTES;
/** `room` and `author`. */
export const IDENTITY_BYTES = 64;

const NO_PREV = new Uint8Array(ID_BYTES);

/** Writes everything of a node behind its room and author. */
export function writeNodeTail(out: ByteWriter, table: NodeTable, place: number): void {
  const prev = table.prev.get(place);
  if (prev === NONE) out.bytes(NO_PREV);
  else out.digest(table.idWords(prev), table.idAt(prev));
  out.byte(NODE_VERSION);
  const parent = table.firstParent(place);
  const parentsEnd = table.parentsEnd.get(place);
  writeArray(out, parentsEnd - parent);
  for (let i = parent; i < parentsEnd; i++) writeId(out, table, table.parents.get(i));
  const wallMs = table.walls.size === 0 ? undefined : table.walls.get(place);
  if (wallMs === undefined) writeNil(out);
  else writeUint(out, wallMs);
  writeOps(out, table, place);
}

/** The ops of a node as they stand in its canonical bytes. */
export function writeOps(out: ByteWriter, table: NodeTable, place: number): void {
  const op = table.firstOp(place);
  const opsEnd = table.opsEnd.get(place);
  writeArray(out, opsEnd - op);
  for (let i = op; i < opsEnd; i++) writeOp(out, table, i);
}

function writeOp(out: ByteWriter, table: NodeTable, op: number): void {
  const kind = table.kind(op);
  if (kind === DORMANT) return writeSet(out, table, op);
  const count = table.count.get(op);
  const start = table.contentStart(op);
  const end = table.contentEnd.get(op);
  writeArray(out, fieldsOf(kind, count));
  out.byte(kind);
  const { keys } = table;
  const key = table.key(op);
  out.copy(keys.encoded.buffer, keys.start(key), keys.end(key));
  switch (kind) {
    case OP_DELETE:
      return;
    case OP_TEXT_INSERT_RIGHT:
    case OP_TEXT_INSERT_LEFT:
      writeElement(out, table, table.ref.get(op), table.at.get(op));
      writeTextHead(out, end - start);
      return out.copy(table.content.buffer, start, end);
    case OP_TEXT_DELETE:
    case OP_LIST_DELETE:
      writeElement(out, table, table.ref.get(op), table.at.get(op));
      return writeUint(out, count);
    case OP_LIST_MOVE_RIGHT:
    case OP_LIST_MOVE_LEFT: {
      writeElement(out, table, table.ref.get(op), table.at.get(op));
      const anchor = table.anchor(op);
      return writeElement(out, table, anchor.ref, anchor.at);
    }
    case OP_TEXT_MARK: {
      writeElement(out, table, table.ref.get(op), table.at.get(op));
      const to = table.anchor(op);
      writeElement(out, table, to.ref, to.at);
      writeUint(out, count);
      break;
    }
    case OP_LIST_INSERT_RIGHT:
    case OP_LIST_INSERT_LEFT:
      writeElement(out, table, table.ref.get(op), table.at.get(op));
      break;
    case OP_SET_BLOB:
      out.byte(0xc4);
      out.byte(ID_BYTES);
  }
  out.copy(table.content.buffer, start, end);
}

/** A `set` whose value is lent. */
function writeSet(out: ByteWriter, table: NodeTable, op: number): void {
  writeArray(out, fieldsOf(OP_SET, 0));
  out.byte(OP_SET);
  out.bytes(table.keys.bytes(table.key(op)));
  out.bytes(table.lentValue(op));
}

function fieldsOf(kind: number, count: number): number {
  if (kind === OP_DELETE) return 2;
  if (kind === OP_TEXT_MARK) return 7;
  if (kind === OP_SET || kind === OP_SET_BLOB) return 3;
  return kind === OP_LIST_INSERT_RIGHT || kind === OP_LIST_INSERT_LEFT ? 3 + count : 4;
}

function writeElement(out: ByteWriter, table: NodeTable, ref: number, at: number): void {
  if (ref === NONE) return writeNil(out);
  if (ref === OWN) return writeUint(out, at);
  writeArray(out, 2);
  writeId(out, table, ref);
  writeUint(out, at);
}

function writeId(out: ByteWriter, table: NodeTable, ref: number): void {
  out.byte(0xc4);
  out.byte(ID_BYTES);
  out.digest(table.idWords(ref), table.idAt(ref));
}

const words = new Int32Array(DIGEST_WORDS);

/**
 * Reads canonical bytes [from, to) as the next node of the table, without its id. Strict: each second form of the same
 * node is refused, so bytes and node determine each other. After a `DecodeError`, `table.drop()`.
 */
export function readNode(table: NodeTable, bytes: Uint8Array, from: number, to: number): number {
  if (to - from > NODE_BOUNDS.bytes) throw new DecodeError('a node exceeds 1 MiB');
  const input = new ByteReader(bytes, from, to);
  const identity = identityAt(table, bytes, input.skip(IDENTITY_BYTES));
  const prev = prevAt(table, bytes, input.skip(ID_BYTES));
  if (readUint(input) !== NODE_VERSION) throw new DecodeError('unknown node version');
  for (let left = readArray(input, NODE_BOUNDS.parents); left > 0; left--) table.parents.push(readId(table, input));
  const wallMs = readOptionalUint(input);
  for (let left = readArray(input, NODE_BOUNDS.ops); left > 0; left--) readOp(table, input, bytes);
  input.end();
  const place = table.close(identity, prev, 0);
  if (wallMs !== undefined) table.walls.set(place, wallMs);
  checkNode(table, place);
  return place;
}

/** Most nodes come from who wrote the one before. */
function identityAt(table: NodeTable, bytes: Uint8Array, at: number): number {
  const last = table.size === 0 ? -1 : table.identity.get(table.size - 1);
  const known = table.identities.list[last];
  return known && isIdentityAt(bytes, at, known) ? last : table.identities.numberAt(bytes, at);
}

/** Most nodes stand on the one before. */
function prevAt(table: NodeTable, bytes: Uint8Array, at: number): number {
  readWords(bytes, at, words, 0, DIGEST_WORDS);
  const last = table.size - 1;
  if (last >= 0 && equalIds(table.idWords(last), table.idAt(last), words, 0)) return last;
  return words.every((word) => word === 0) ? NONE : table.refTo(words, 0);
}

/** Most ops name the key that the one before named. */
function readKey(table: NodeTable, input: ByteReader, bytes: Uint8Array): number {
  const last = table.ops === 0 ? -1 : table.key(table.ops - 1);
  if (last >= 0) {
    const { keys } = table;
    const from = input.position;
    const length = keys.end(last) - keys.start(last);
    if (length <= input.left && keys.holds(last, bytes, from, from + length)) {
      input.skip(length);
      return last;
    }
  }
  return table.keys.number(readText(input));
}

function readId(table: NodeTable, input: ByteReader): number {
  const bytes = readBytes(input);
  if (bytes.length !== ID_BYTES) throw new DecodeError('a parent is not 32 bytes');
  readWords(bytes, 0, words, 0, DIGEST_WORDS);
  return table.refTo(words, 0);
}

function readOp(table: NodeTable, input: ByteReader, bytes: Uint8Array): void {
  const fields = readArray(input, MAX_FIELDS);
  const kind = readUint(input);
  const key = readKey(table, input, bytes);
  const ref = { ref: NONE, at: 0 };
  switch (kind) {
    case OP_SET:
      exactly(fields, 3);
      table.content.bytes(readValue(input, bytes));
      return table.addOp(kind, key, NONE, 0, 0);
    case OP_DELETE:
      exactly(fields, 2);
      return table.addOp(kind, key, NONE, 0, 0);
    case OP_SET_BLOB: {
      exactly(fields, 3);
      const hash = readBytes(input);
      if (hash.length !== ID_BYTES) throw new DecodeError('a hash is not 32 bytes');
      table.content.bytes(hash);
      return table.addOp(kind, key, NONE, 0, 0);
    }
    case OP_TEXT_INSERT_RIGHT:
    case OP_TEXT_INSERT_LEFT: {
      exactly(fields, 4);
      readElement(table, input, ref);
      const length = readTextHead(input);
      const from = input.skip(length);
      const units = utf16Length(bytes, from, from + length);
      table.content.copy(bytes, from, from + length);
      checkInsert(kind === OP_TEXT_INSERT_LEFT, ref.ref, units);
      return table.addOp(kind, key, ref.ref, ref.at, units);
    }
    case OP_LIST_INSERT_RIGHT:
    case OP_LIST_INSERT_LEFT: {
      readElement(table, input, ref);
      for (let left = fields - 3; left > 0; left--) table.content.bytes(readValue(input, bytes));
      checkInsert(kind === OP_LIST_INSERT_LEFT, ref.ref, fields - 3);
      return table.addOp(kind, key, ref.ref, ref.at, fields - 3);
    }
    case OP_TEXT_DELETE:
    case OP_LIST_DELETE: {
      exactly(fields, 4);
      readElement(table, input, ref);
      const count = readUint(input);
      checkDeletion(ref.ref, count);
      return table.addOp(kind, key, ref.ref, ref.at, count);
    }
    case OP_LIST_MOVE_RIGHT:
    case OP_LIST_MOVE_LEFT: {
      exactly(fields, 4);
      readElement(table, input, ref);
      const anchor = { ref: NONE, at: 0 };
      readElement(table, input, anchor);
      checkMove(kind === OP_LIST_MOVE_LEFT, ref.ref, anchor.ref);
      return table.addMove(kind, key, ref.ref, ref.at, anchor.ref, anchor.at);
    }
    case OP_TEXT_MARK: {
      exactly(fields, 7);
      readElement(table, input, ref);
      const to = { ref: NONE, at: 0 };
      readElement(table, input, to);
      const sides = readUint(input);
      checkMark(ref.ref, to.ref, sides);
      const from = input.position;
      readMark(input, bytes);
      table.content.copy(bytes, from, input.position);
      return table.addPair(kind, key, ref.ref, ref.at, sides, to.ref, to.at);
    }
    default:
      throw new DecodeError('unknown op');
  }
}

function readElement(table: NodeTable, input: ByteReader, into: { ref: number; at: number }): void {
  if (takeNil(input)) return;
  const tag = input.peek();
  if (tag < 0x90 || tag > 0x9f) {
    into.ref = OWN;
    into.at = checkElement(readUint(input));
    return;
  }
  if (readArray(input, 2) !== 2) throw new DecodeError('an element is named by node and offset');
  into.ref = readId(table, input);
  into.at = checkElement(readUint(input));
}

function exactly(found: number, wanted: number): void {
  if (found !== wanted) throw new DecodeError('an op has the wrong number of fields');
}

// The rules of an op that need nothing but the op. [ND2]

/** Texts and item lists are not empty; only `right` goes with the start. */
export function checkInsert(left: boolean, anchor: number, count: number): void {
  if (left && anchor === NONE) throw new DecodeError('nothing is left of the start');
  if (count <= 0) throw new DecodeError('an insertion of nothing');
}

export function checkMove(left: boolean, item: number, anchor: number): void {
  if (item === NONE) throw new DecodeError('the start is no element');
  checkInsert(left, anchor, 1);
}

/** Flags of a mark: it begins behind its first element, rather than before it; it ends behind its last one. */
export const BEHIND_FROM = 1;
export const BEHIND_TO = 2;

/** The start of a text has nothing before it, its end nothing behind. */
export function checkMark(from: number, to: number, sides: number): void {
  if (!(sides >= 0 && sides <= (BEHIND_FROM | BEHIND_TO))) throw new DecodeError('a mark has other sides than four');
  if (from === NONE && (sides & BEHIND_FROM) === 0) throw new DecodeError('a mark begins before the start');
  if (to === NONE && (sides & BEHIND_TO) !== 0) throw new DecodeError('a mark ends behind the end');
}

/** Passes over name and value of a mark; answers the name. */
export function readMark(input: ByteReader, bytes: Uint8Array): string {
  const start = input.position;
  const name = readText(input);
  const head = input.position;
  if (name === '' || head - start > MARK_BOUNDS.nameBytes + 3)
    throw new DecodeError('the name of a mark has 1 to 256 bytes');
  if (readValue(input, bytes).length > MARK_BOUNDS.valueBytes)
    throw new DecodeError('the value of a mark exceeds 16 KiB');
  return name;
}

export function checkDeletion(last: number, count: number): void {
  if (last === NONE) throw new DecodeError('the start is no element');
  if (!(count >= 1 && count <= MOST_ELEMENTS)) throw new DecodeError('a deletion of nothing or too much');
}

export function checkElement(place: number): number {
  if (place < 0) throw new DecodeError('an element before the first');
  if (!(place < MOST_ELEMENTS)) throw new DecodeError('an element beyond 2^31');
  return place;
}

/** Elements of a chain are counted in 31 bits. */
export const MOST_ELEMENTS = 2 ** 31 - 1;
/** An array of a list insert holds kind, key, anchor and values. */
const MAX_FIELDS = 1 << 20;

/** The rules of a node that need nothing but the node. [ND2] */
export function checkNode(table: NodeTable, place: number): void {
  const from = table.firstParent(place);
  const to = table.parentsEnd.get(place);
  const ops = table.opsEnd.get(place) - table.firstOp(place);
  const prev = table.prev.get(place);
  if (to - from > NODE_BOUNDS.parents) throw new DecodeError('more than 256 parents');
  if (ops > NODE_BOUNDS.ops) throw new DecodeError('more than 65,536 ops');
  if (table.walls.size > 0 && (table.walls.get(place) ?? 0) > NODE_BOUNDS.wallMs)
    throw new DecodeError('the clock is beyond the year 10,000');
  if (ops === 0 && to - from + (prev === NONE ? 0 : 1) < 2 && !table.withheld.has(place))
    throw new DecodeError('a node without ops must merge two heads');
  if (prev < OWN && isZero(table.idWords(prev), table.idAt(prev)))
    throw new DecodeError('prev is zeros, which stand for none');
  if (to > from) checkParents(table, from, to, prev);
}

function isZero(ids: Int32Array, at: number): boolean {
  for (let i = 0; i < DIGEST_WORDS; i++) if (ids[at + i] !== 0) return false;
  return true;
}

function checkParents(table: NodeTable, from: number, to: number, prev: number): void {
  for (let i = from; i < to; i++) {
    const parent = table.parents.get(i);
    if (prev !== NONE && isSameId(table, prev, table, parent))
      throw new DecodeError('prev is repeated among the parents');
    if (i === from) continue;
    const before = table.parents.get(i - 1);
    if (compareIds(table, before, parent) >= 0) throw new DecodeError('parents are not a sorted set');
  }
}
