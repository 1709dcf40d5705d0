/**
 * A seal is an author's signature over a tag and a node's id. Through `prev` links it vouches for every
 * node before it on the author's chain, so one signature covers a whole run of typing. [SL1]
 */
import { concatBytes, fromHex, toUtf8 } from '../codec/bytes.js';
import type { NodeId } from './node.js';

const TAG = toUtf8('weft-seal-v1\0');

export function sealMessage(id: NodeId): Uint8Array {
  return concatBytes([TAG, fromHex(id)]);
}

/** A run is what lies between two seals; it is admitted or refused whole. [SL2] */
export const RUN_NODES = 1024;
