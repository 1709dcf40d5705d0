/**
 * The operations of a node as objects; in tables of nodes they are columns. [ND6]
 *
 * Elements of texts and lists are named from the author's side: its own chain's by their counter (elements inserted on
 * the chain so far), all others by node id and offset. A text has one element per UTF-16 code unit.
 */
import { ByteReader } from '../bytes/byte-reader.js';
import { DecodeError, fromUtf8, toUtf8 } from '../bytes/bytes.js';
import { readValue } from '../bytes/msgpack.js';
import { digestBytes } from '../sha256/words.js';
import {
  BEHIND_FROM,
  BEHIND_TO,
  ID_BYTES,
  checkDeletion,
  checkElement,
  checkInsert,
  checkMark,
  checkMove,
} from './canonical-node.js';
import { markContent, markOf } from './mark-content.js';
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
  isLeft,
} from './op-kinds.js';

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
  | { readonly kind: 'list-move'; readonly key: string; readonly item: ElementRef; readonly anchor: Anchor }
  | {
      readonly kind: 'text-mark';
      readonly key: string;
      /** Before (`left`) or behind (`right`) an element; null is the start. */
      readonly from: Anchor;
      /** Null is the end of the text; only `left` goes with it. */
      readonly to: Anchor;
      readonly name: string;
      /** MessagePack bytes; nil takes the mark away. */
      readonly value: Uint8Array;
    };

/** Wire numbers of ops by kind and, where there is one, side. */
const KINDS = {
  set: OP_SET,
  delete: OP_DELETE,
  'text-insert-right': OP_TEXT_INSERT_RIGHT,
  'text-insert-left': OP_TEXT_INSERT_LEFT,
  'text-delete': OP_TEXT_DELETE,
  'list-insert-right': OP_LIST_INSERT_RIGHT,
  'list-insert-left': OP_LIST_INSERT_LEFT,
  'list-delete': OP_LIST_DELETE,
  'list-move-right': OP_LIST_MOVE_RIGHT,
  'list-move-left': OP_LIST_MOVE_LEFT,
  'set-blob': OP_SET_BLOB,
  'text-mark': OP_TEXT_MARK,
} as const;

function kindOf(op: Op): number {
  return KINDS['anchor' in op ? (`${op.kind}-${op.anchor.side}` as const) : op.kind];
}

/** Adds an op to the open node of a table. Throws `DecodeError` when a rule is broken that needs nothing but the op. [ND2] */
export function addOp(table: NodeTable, op: Op, refOf: (id: Uint8Array) => number): void {
  const kind = kindOf(op);
  const key = table.keys.number(op.key);
  const [ref, at] = named('anchor' in op ? op.anchor.ref : 'last' in op ? op.last : null, refOf);
  const left = 'anchor' in op && op.anchor.side === 'left';
  switch (op.kind) {
    case 'set':
      table.content.bytes(op.value);
      return table.addOp(kind, key, NONE, 0, 0);
    case 'delete':
      return table.addOp(kind, key, NONE, 0, 0);
    case 'set-blob':
      if (op.hash.length !== ID_BYTES) throw new DecodeError('a hash is not 32 bytes');
      table.content.bytes(op.hash);
      return table.addOp(kind, key, NONE, 0, 0);
    case 'text-insert':
      checkInsert(left, ref, op.text.length);
      table.content.bytes(toUtf8(op.text));
      return table.addOp(kind, key, ref, at, op.text.length);
    case 'list-insert':
      checkInsert(left, ref, op.values.length);
      for (const value of op.values) table.content.bytes(value);
      return table.addOp(kind, key, ref, at, op.values.length);
    case 'text-delete':
    case 'list-delete':
      checkDeletion(ref, op.count);
      return table.addOp(kind, key, ref, at, op.count);
    case 'list-move': {
      const [item, offset] = named(op.item, refOf);
      checkMove(left, item, ref);
      return table.addMove(kind, key, item, offset, ref, at);
    }
    case 'text-mark': {
      const [from, fromAt] = named(op.from.ref, refOf);
      const [to, toAt] = named(op.to.ref, refOf);
      const sides = (op.from.side === 'right' ? BEHIND_FROM : 0) | (op.to.side === 'right' ? BEHIND_TO : 0);
      checkMark(from, to, sides);
      const content = markContent(op.name, op.value);
      table.content.bytes(content);
      return table.addPair(kind, key, from, fromAt, sides, to, toAt);
    }
  }
}

export function opAt(table: NodeTable, op: number): Op {
  const kind = table.kind(op);
  const key = table.keys.names[table.key(op)]!;
  const ref = refAt(table, table.ref.get(op), table.at.get(op));
  const content = table.contentOf(op);
  const side = isLeft(kind) ? 'left' : 'right';
  const count = table.count.get(op);
  switch (kind) {
    case OP_SET:
    case DORMANT:
      return { kind: 'set', key, value: content };
    case OP_DELETE:
      return { kind: 'delete', key };
    case OP_SET_BLOB:
      return { kind: 'set-blob', key, hash: content };
    case OP_TEXT_INSERT_RIGHT:
    case OP_TEXT_INSERT_LEFT:
      return { kind: 'text-insert', key, anchor: { ref, side }, text: fromUtf8(content) };
    case OP_LIST_INSERT_RIGHT:
    case OP_LIST_INSERT_LEFT:
      return { kind: 'list-insert', key, anchor: { ref, side }, values: itemsOf(content) };
    case OP_TEXT_DELETE:
      return { kind: 'text-delete', key, last: element(ref), count };
    case OP_LIST_DELETE:
      return { kind: 'list-delete', key, last: element(ref), count };
    case OP_TEXT_MARK: {
      const to = table.anchor(op);
      const { name, value } = markOf(content);
      return {
        kind: 'text-mark',
        key,
        from: { ref, side: (count & BEHIND_FROM) === 0 ? 'left' : 'right' },
        to: { ref: refAt(table, to.ref, to.at), side: (count & BEHIND_TO) === 0 ? 'left' : 'right' },
        name,
        value,
      };
    }
    default: {
      const anchor = table.anchor(op);
      return { kind: 'list-move', key, item: element(ref), anchor: { ref: refAt(table, anchor.ref, anchor.at), side } };
    }
  }
}

/** The values of a list insert, each a view. */
function itemsOf(content: Uint8Array): Uint8Array[] {
  const input = new ByteReader(content);
  const items: Uint8Array[] = [];
  while (input.left > 0) items.push(readValue(input, content));
  return items;
}

function named(ref: ElementRef | null, refOf: (id: Uint8Array) => number): readonly [ref: number, at: number] {
  if (ref === null) return [NONE, 0];
  if (typeof ref === 'number') return [OWN, checkElement(ref)];
  return [refOf(ref.node), checkElement(ref.offset)];
}

function refAt(table: NodeTable, ref: number, at: number): ElementRef | null {
  if (ref === NONE) return null;
  return ref === OWN ? at : { node: digestBytes(table.idWords(ref), table.idAt(ref)), offset: at };
}

function element(ref: ElementRef | null): ElementRef {
  if (ref === null) throw new DecodeError('the start is no element');
  return ref;
}
