/**
 * A seal is an author's signature over a tag and a node's id. Through `prev` links it vouches for every
 * node before it on the author's chain, so one signature covers a whole run of typing. [SL1]
 */
import { toUtf8 } from '../codec/bytes/bytes.js';
import type { NodeTable } from '../codec/nodes/node-table.js';
import { DIGEST_BYTES, writeDigest } from '../codec/sha256/words.js';

const TAG = toUtf8('weft-seal-v1\0');

export function sealMessage(table: NodeTable, node: number): Uint8Array {
  const message = new Uint8Array(TAG.length + DIGEST_BYTES);
  message.set(TAG);
  writeDigest(table.idWords(node), table.idAt(node), message, TAG.length);
  return message;
}

/** A run is what lies between two seals; it is admitted or refused whole. [SL2] */
export const RUN_NODES = 1024;
