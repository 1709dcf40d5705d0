/**
 * The operations of a node and their canonical bytes. [ND1]
 *
 * Each op is a MessagePack array `[kind, key, …]`. Elements of texts and lists are named from the author's side:
 * its own chain's by their counter (elements inserted on the chain so far), all others by node id and offset. A
 * text has one element per UTF-16 code unit.
 */
import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';
import {
  readArray,
  readBytes,
  readText,
  readUint,
  readValue,
  takeNil,
  writeArray,
  writeBytes,
  writeNil,
  writeText,
  writeUint,
} from './msgpack.js';

/** An element of the author's own chain, by counter, or of another node's, by its id and the offset in it. */
export type ElementRef = number | { readonly node: Uint8Array; readonly offset: number };

/** Where elements are inserted: beside an element, or at the start of an empty place. */
export interface Anchor {
  /** Null is the start of the text or list; only `right` goes with it. */
  readonly ref: ElementRef | null;
  readonly side: 'left' | 'right';
}

/**
 * A deletion names its last element and goes back from there along `prev` links: that path is one and the same
 * everywhere, also where the author's chain has branched.
 */
export type Op =
  | { readonly kind: 'set'; readonly key: string; /** MessagePack bytes. */ readonly value: Uint8Array }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'set-blob'; readonly key: string; readonly hash: Uint8Array }
  | { readonly kind: 'text-insert'; readonly key: string; readonly anchor: Anchor; readonly text: string }
  | { readonly kind: 'text-delete'; readonly key: string; readonly last: ElementRef; readonly count: number }
  | {
      readonly kind: 'list-insert';
      readonly key: string;
      readonly anchor: Anchor;
      readonly values: readonly Uint8Array[];
    }
  | { readonly kind: 'list-delete'; readonly key: string; readonly last: ElementRef; readonly count: number }
  | { readonly kind: 'list-move'; readonly key: string; readonly item: ElementRef; readonly anchor: Anchor };

export const KINDS = {
  set: 0,
  delete: 1,
  'text-insert-right': 2,
  'text-insert-left': 3,
  'text-delete': 4,
  'list-insert-right': 5,
  'list-insert-left': 6,
  'list-delete': 7,
  'list-move-right': 8,
  'list-move-left': 9,
  'set-blob': 10,
} as const;

/** The name of an op's wire number: kind and, where there is one, side. */
export function kindOf(op: Op): keyof typeof KINDS {
  return 'anchor' in op ? `${op.kind}-${op.anchor.side}` : op.kind;
}

/** How many elements an op inserts: what it adds to the counter of its author's chain. */
export function elementsOf(op: Op): number {
  switch (op.kind) {
    case 'text-insert':
      return op.text.length;
    case 'list-insert':
      return op.values.length;
    case 'list-move':
      return 1;
    default:
      return 0;
  }
}

/** About how many canonical bytes an op has, never fewer. */
export function weightOfOp(op: Op): number {
  const key = 16 + op.key.length * 3;
  switch (op.kind) {
    case 'set':
      return key + op.value.length;
    case 'text-insert':
      return key + 48 + op.text.length * 3;
    case 'list-insert':
      return op.values.reduce((sum, value) => sum + value.length, key + 48);
    default:
      return key + 96;
  }
}

export function writeOp(out: ByteWriter, op: Op): void {
  switch (op.kind) {
    case 'set':
      head(out, 3, KINDS.set, op.key);
      return out.bytes(op.value);
    case 'delete':
      return head(out, 2, KINDS.delete, op.key);
    case 'set-blob':
      head(out, 3, KINDS['set-blob'], op.key);
      return writeBytes(out, op.hash);
    case 'text-insert':
      head(out, 4, KINDS[`text-insert-${op.anchor.side}`], op.key);
      writeRef(out, op.anchor.ref);
      return writeText(out, op.text);
    case 'list-insert':
      head(out, 3 + op.values.length, KINDS[`list-insert-${op.anchor.side}`], op.key);
      writeRef(out, op.anchor.ref);
      for (const value of op.values) out.bytes(value);
      return;
    case 'text-delete':
    case 'list-delete':
      head(out, 4, KINDS[op.kind], op.key);
      writeRef(out, op.last);
      return writeUint(out, op.count);
    case 'list-move':
      head(out, 4, KINDS[`list-move-${op.anchor.side}`], op.key);
      writeRef(out, op.item);
      return writeRef(out, op.anchor.ref);
  }
}

/** Strict: one form per op. Texts are not empty, counts are at least 1, only `right` goes with the start. */
export function readOp(input: ByteReader, source: Uint8Array): Op {
  const fields = readArray(input, MAX_FIELDS);
  const kind = readUint(input);
  const key = readText(input);
  const rest = fields - 2;
  switch (kind) {
    case KINDS.set:
      return exactly(rest, 1, { kind: 'set', key, value: readValue(input, source) });
    case KINDS.delete:
      return exactly(rest, 0, { kind: 'delete', key });
    case KINDS['set-blob']:
      return exactly(rest, 1, { kind: 'set-blob', key, hash: readHash(input) });
    case KINDS['text-insert-right']:
    case KINDS['text-insert-left']: {
      const anchor = { ref: readRef(input), side: kind === KINDS['text-insert-left'] ? 'left' : 'right' } as const;
      return exactly(rest, 2, { kind: 'text-insert', key, anchor, text: readText(input) });
    }
    case KINDS['list-insert-right']:
    case KINDS['list-insert-left']: {
      const anchor = { ref: readRef(input), side: kind === KINDS['list-insert-left'] ? 'left' : 'right' } as const;
      const values = Array.from({ length: rest - 1 }, () => readValue(input, source));
      return { kind: 'list-insert', key, anchor, values };
    }
    case KINDS['text-delete']:
      return exactly(rest, 2, { kind: 'text-delete', key, last: readElement(input), count: readUint(input) });
    case KINDS['list-delete']:
      return exactly(rest, 2, { kind: 'list-delete', key, last: readElement(input), count: readUint(input) });
    case KINDS['list-move-right']:
    case KINDS['list-move-left']: {
      const item = readElement(input);
      const anchor = { ref: readRef(input), side: kind === KINDS['list-move-left'] ? 'left' : 'right' } as const;
      return exactly(rest, 2, { kind: 'list-move', key, item, anchor });
    }
    default:
      throw new DecodeError('unknown op');
  }
}

/** The rules of an op that need nothing but the op. [ND2] */
export function checkOp(op: Op): void {
  if ('anchor' in op && op.anchor.ref === null && op.anchor.side === 'left')
    throw new DecodeError('nothing is left of the start');
  if ('anchor' in op && op.anchor.ref !== null) checkElement(op.anchor.ref);
  if ('item' in op) checkElement(op.item);
  if ('last' in op) checkElement(op.last);
  if ('count' in op && !(op.count >= 1 && op.count <= MOST_ELEMENTS))
    throw new DecodeError('a deletion of nothing or too much');
  if (op.kind === 'text-insert' && op.text === '') throw new DecodeError('an insertion of nothing');
  if (op.kind === 'list-insert' && op.values.length === 0) throw new DecodeError('an insertion of nothing');
  if (op.kind === 'set-blob' && op.hash.length !== HASH_BYTES) throw new DecodeError('a hash is not 32 bytes');
}

function checkElement(ref: ElementRef): void {
  const place = typeof ref === 'number' ? ref : ref.offset;
  if (!(place >= 0 && place < MOST_ELEMENTS)) throw new DecodeError('an element beyond 2^31');
}

/** Elements of a chain are counted in 31 bits. */
const MOST_ELEMENTS = 2 ** 31 - 1;
const HASH_BYTES = 32;
/** An array of a list insert holds kind, key, anchor and values. */
const MAX_FIELDS = 1 << 20;

function head(out: ByteWriter, fields: number, kind: number, key: string): void {
  writeArray(out, fields);
  writeUint(out, kind);
  writeText(out, key);
}

function exactly(found: number, wanted: number, op: Op): Op {
  if (found !== wanted) throw new DecodeError('an op has the wrong number of fields');
  return op;
}

function writeRef(out: ByteWriter, ref: ElementRef | null): void {
  if (ref === null) return writeNil(out);
  if (typeof ref === 'number') return writeUint(out, ref);
  writeArray(out, 2);
  writeBytes(out, ref.node);
  writeUint(out, ref.offset);
}

function readRef(input: ByteReader): ElementRef | null {
  return takeNil(input) ? null : readElement(input);
}

function readElement(input: ByteReader): ElementRef {
  const tag = input.peek();
  if (tag < 0x90 || tag > 0x9f) return readUint(input);
  if (readArray(input, 2) !== 2) throw new DecodeError('an element is named by node and offset');
  return { node: readHash(input), offset: readUint(input) };
}

function readHash(input: ByteReader): Uint8Array {
  const bytes = readBytes(input);
  if (bytes.length !== HASH_BYTES) throw new DecodeError('a hash is not 32 bytes');
  return bytes;
}
