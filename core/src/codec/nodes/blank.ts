/** Ops of a node of which nothing is said under some keys any more: their elements stay, for later ones stand on them. [VE5] */
import type { NodeCopy } from './node-copy.js';
import { NONE, type NodeTable } from './node-table.js';
import { markOf } from './mark-content.js';
import { DORMANT, KINDS, namesTwo } from './op-kinds.js';

/** Stands for each code unit that was erased, and for each item and mark: `*` and nil. */
const BLANK_UNIT = 0x2a;
const NIL = 0xc0;

/** Whether a node says anything under a key that erasing it would take away. */
export function saysAnything(table: NodeTable, place: number, key: number): boolean {
  for (let op = table.firstOp(place); op < table.opsEnd.get(place); op++) {
    if (table.key(op) !== key) continue;
    const kind = table.kind(op);
    if (kind === KINDS.set || kind === KINDS['set-blob'] || kind === DORMANT) return true;
    const content = table.contentOf(op);
    if (kind === KINDS['text-insert-right'] || kind === KINDS['text-insert-left']) {
      if (content.some((byte) => byte !== BLANK_UNIT)) return true;
    } else if (kind === KINDS['text-mark']) {
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
    case KINDS.set:
    case KINDS['set-blob']:
    case DORMANT:
      return into.addOp(KINDS.delete, copy.keyOf(from.key(op)), NONE, 0, 0);
    case KINDS['text-insert-right']:
    case KINDS['text-insert-left']:
      into.content.bytes(new Uint8Array(count).fill(BLANK_UNIT));
      break;
    case KINDS['list-insert-right']:
    case KINDS['list-insert-left']:
      into.content.bytes(new Uint8Array(count).fill(NIL));
      break;
    case KINDS['text-mark']: {
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
