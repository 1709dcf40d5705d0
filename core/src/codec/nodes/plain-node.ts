/**
 * Plain nodes, which typing is made of: one edit of a text, beside an element of the author's own, on the author's node
 * before. What `readNode` makes of any bytes, this makes of them too, or leaves them to it. [ND1]
 *
 *   room ‖ author ‖ prev ‖ 1 ‖ no parents ‖ nil ‖ [[kind, key, counter, text or count]]
 *
 * No object, and no call for each field: the bytes are laid where words of them can be read at once.
 */
import { DIGEST_WORDS } from '../sha256/words.js';
import type { Identity } from './identity.js';
import { type NodeTable, OWN } from './node-table.js';
import { OP_TEXT_DELETE, OP_TEXT_INSERT_RIGHT } from './op-kinds.js';

const PREV_AT = 64;
const TAIL_AT = PREV_AT + DIGEST_WORDS * 4;
/** The least that stands behind `prev`. */
const LEAST_TAIL = 9;
/** More than most keystrokes have, their keys included. */
const MOST_BYTES = 248;
/** What is laid is moved by up to so many bytes less one, so that it begins a word. */
const WORD = 4;
/** See `MOST_ELEMENTS`. */
const MOST_COUNTER = 2 ** 31 - 1;

const laid = new Uint8Array(MOST_BYTES + WORD);
const words = new Int32Array(laid.buffer);
const view = new DataView(laid.buffer);
/** The identity that was met last, as this machine reads its bytes: sixteen words are compared where 64 bytes would be. */
const known = new Int32Array(PREV_AT / WORD);
let identity: Identity | undefined;

/**
 * Reads canonical bytes [from, to) as the next node of the table, without its id: of ASCII, on the node that was read
 * before. False, and nothing has changed, for any other.
 */
export function readPlainNode(table: NodeTable, bytes: Uint8Array, from: number, to: number): boolean {
  const last = table.size - 1;
  const length = to - from;
  if (last < 0 || table.ops === 0 || length < TAIL_AT + LEAST_TAIL || length > MOST_BYTES) return false;
  const start = lay(bytes, from, to);
  const end = start + length;

  let at = start + TAIL_AT;
  if (laid[at] !== 1 || laid[at + 1] !== 0x90 || laid[at + 2] !== 0xc0) return false;
  if (laid[at + 3] !== 0x91 || laid[at + 4] !== 0x94) return false;
  const kind = laid[at + 5]!;
  if (kind < OP_TEXT_INSERT_RIGHT || kind > OP_TEXT_DELETE) return false;
  at += 6;

  const key = table.key(table.ops - 1);
  const keyEnd = at + table.keys.end(key) - table.keys.start(key);
  if (keyEnd >= end || !table.keys.holds(key, laid, at, keyEnd)) return false;
  at = keyEnd;

  let counter = laid[at++]!;
  if (counter > 0x7f) {
    const size = counter === 0xcc ? 1 : counter === 0xcd ? 2 : counter === 0xce ? 4 : 0;
    if (size === 0 || at + size >= end) return false;
    counter = 0;
    for (let i = 0; i < size; i++) counter = counter * 0x100 + laid[at++]!;
    if (counter < (size === 1 ? 0x80 : size === 2 ? 0x100 : 0x10000) || counter >= MOST_COUNTER) return false;
  }

  let count = laid[at++]!;
  const isInsert = kind !== OP_TEXT_DELETE;
  if (isInsert) count -= 0xa0;
  if (count < 1 || count > (isInsert ? 0x1f : 0x7f) || at + (isInsert ? count : 0) !== end) return false;
  for (let i = at; i < end; i++) if (laid[i]! > 0x7f) return false;

  const author = table.identity.get(last);
  meet(table.identities.list[author]!);
  for (let i = 0; i < known.length; i++) if (words[start / WORD + i] !== known[i]) return false;
  const ids = table.idWords(last);
  const idAt = table.idAt(last);
  for (let i = 0; i < DIGEST_WORDS; i++) if (view.getInt32(start + PREV_AT + i * WORD) !== ids[idAt + i]) return false;

  table.content.copy(laid, at, end);
  table.addOp(kind, key, OWN, counter, count);
  table.close(author, last, 0);
  return true;
}

function meet(one: Identity): void {
  if (one === identity) return;
  identity = one;
  const bytes = new Uint8Array(known.buffer);
  bytes.set(one.room);
  bytes.set(one.author, one.room.length);
}

/** Answers where bytes [from, to) begin. A view of them would cost more than what else is in a small message. */
function lay(bytes: Uint8Array, from: number, to: number): number {
  if (bytes.length > MOST_BYTES) {
    laid.set(bytes.subarray(from, to));
    return 0;
  }
  const moved = -from & (WORD - 1);
  laid.set(bytes, moved);
  return from + moved;
}
