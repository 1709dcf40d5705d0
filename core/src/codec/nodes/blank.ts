/** Ops of a node of which nothing is said under some keys any more: their elements stay, for later ones stand on them. [VE5] */
import type { NodeCopy } from './node-copy.js';
import { NONE, type NodeTable } from './node-table.js';
import { markOf } from './mark-content.js';
import {
  DORMANT,
  OP_DELETE,
  OP_LIST_INSERT_LEFT,
  OP_LIST_INSERT_RIGHT,
  OP_SET,
  OP_SET_BLOB,
  OP_TEXT_INSERT_LEFT,
  OP_TEXT_INSERT_RIGHT,
  OP_TEXT_MARK,
  namesTwo,
} from './op-kinds.js';

/** Stands for each code unit that was erased, and for each item and mark: `*` and nil. */
const BLANK_UNIT = 0x2a;
const NIL = 0xc0;

/** Whether a node says anything under a key that erasing it would take away. */
export function saysAnything(table: NodeTable, place: number, key: number): boolean {
  for (let op = table.firstOp(place); op < table.opsEnd.get(place); op++) {
    if (table.key(op) !== key) continue;
    const kind = table.kind(op);
    if (kind === OP_SET || kind === OP_SET_BLOB || kind === DORMANT) return true;
    const content = table.contentOf(op);
    if (kind === OP_TEXT_INSERT_RIGHT || kind === OP_TEXT_INSERT_LEFT) {
      if (content.some((byte) => byte !== BLANK_UNIT)) return true;
    } else if (kind === OP_TEXT_MARK) {
      if (markOf(content).value[0] !== NIL) return true;
    } else if (content.some((byte) => byte !== NIL)) return true;
  }
  return false;
}

/** Copies a node as its header, with its ops as far as nothing is said under these keys. */
export function copyBlank(copy: NodeCopy, place: number, counter: number, keys: { has(key: number): boolean }): void {
  const { from } = copy;
  for (let op = from.firstOp(place); op < from.opsEnd.get(place); op++)
    if (keys.has(from.key(op))) copyBlankOp(copy, op);
    else copy.copyOp(op);
  copy.copyHeader(place, counter, 0);
}

function copyBlankOp(copy: NodeCopy, op: number): void {
  const { from, into } = copy;
  const kind = from.kind(op);
  const count = from.count.get(op);
  switch (kind) {
    case OP_SET:
    case OP_SET_BLOB:
    case DORMANT:
      return into.addOp(OP_DELETE, copy.keyOf(from.key(op)), NONE, 0, 0);
    case OP_TEXT_INSERT_RIGHT:
    case OP_TEXT_INSERT_LEFT:
      into.content.bytes(new Uint8Array(count).fill(BLANK_UNIT));
      break;
    case OP_LIST_INSERT_RIGHT:
    case OP_LIST_INSERT_LEFT:
      into.content.bytes(new Uint8Array(count).fill(NIL));
      break;
    case OP_TEXT_MARK: {
      const content = from.contentOf(op);
      into.content.bytes(content.subarray(0, content.length - markOf(content).value.length));
      into.content.byte(NIL);
      break;
    }
    default:
      return copy.copyOp(op);
  }
  const key = copy.keyOf(from.key(op));
  const [ref, at] = [copy.refOf(from.ref.get(op)), from.at.get(op)];
  if (!namesTwo(kind)) return into.addOp(kind, key, ref, at, count);
  const anchor = from.anchor(op);
  into.addPair(kind, key, ref, at, count, copy.refOf(anchor.ref), anchor.at);
}
