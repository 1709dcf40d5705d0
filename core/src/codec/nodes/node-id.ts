/**
 * Ids of nodes, as fast as plain JavaScript makes them. [ND1]
 *
 * `room` and `author` fill the first block of the hash, so its state is kept for the chain; most nodes are one block
 * more. Nothing is allocated.
 */
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';
import { hashRange } from '../sha256/digest-into.js';
import { hashFrom } from '../sha256/midstate.js';
import { DIGEST_WORDS } from '../sha256/words.js';
import { IDENTITY_BYTES, NODE_BOUNDS, writeNodeTail } from './canonical-node.js';
import { equalIds } from './id-index.js';
import type { Identity } from './identity.js';
import type { NodeTable } from './node-table.js';

/** What fits two blocks behind the first: from three on, the runtime's own SHA-256 is faster. */
const TWO_BLOCKS = 119;

/** Begins with the bytes of the identity that was written last. */
const scratch = new ByteWriter(1024);
let written: Identity | undefined;
/** The id of the node that it holds, while that is known. */
const heldId = new Int32Array(DIGEST_WORDS);
let isHeld = false;

/** Gives the node that was closed last its id; answers how many canonical bytes it has. */
export function identify(table: NodeTable): number {
  const place = table.size - 1;
  const identity = table.identities.list[table.identity.get(place)]!;
  writeCanonical(identity, table, place);
  if (scratch.length > NODE_BOUNDS.bytes) throw new DecodeError('a node exceeds 1 MiB');
  pushId(table, identity, scratch.buffer, 0, scratch.length);
  return scratch.length;
}

/** Identifies the last node, and keeps its canonical bytes for whoever asks for them before the next one. */
export function identifyWritten(table: NodeTable): void {
  identify(table);
  const place = table.size - 1;
  const words = table.idWords(place);
  const at = table.idAt(place);
  for (let i = 0; i < DIGEST_WORDS; i++) heldId[i] = words[at + i]!;
  isHeld = true;
}

/** Gives the node that was closed last its id, from its canonical bytes [from, to). */
export function identifyBytes(table: NodeTable, bytes: Uint8Array, from: number, to: number): void {
  pushId(table, table.identities.list[table.identity.get(table.size - 1)]!, bytes, from, to);
}

/** The canonical bytes of a node; the next call may change them. Of the node written last, they are there. */
export function canonicalBytes(table: NodeTable, place: number): Pick<ByteWriter, 'buffer' | 'length' | 'view'> {
  if (isHeld && equalIds(heldId, 0, table.idWords(place), table.idAt(place))) return scratch;
  writeCanonical(table.identities.list[table.identity.get(place)]!, table, place);
  return scratch;
}

function writeCanonical(identity: Identity, table: NodeTable, place: number): void {
  if (identity !== written) {
    scratch.reset();
    scratch.bytes(identity.room);
    scratch.bytes(identity.author);
    written = identity;
  }
  scratch.truncate(IDENTITY_BYTES);
  isHeld = false;
  writeNodeTail(scratch, table, place);
}

function pushId(table: NodeTable, identity: Identity, bytes: Uint8Array, from: number, to: number): void {
  const { ids } = table;
  ids.reserve(DIGEST_WORDS);
  if (to - from - IDENTITY_BYTES <= TWO_BLOCKS)
    hashFrom(identity.midstate, bytes, from + IDENTITY_BYTES, to, ids.values, ids.length);
  else hashRange(bytes, from, to, ids.values, ids.length);
  ids.length += DIGEST_WORDS;
}
