/** What an authority signs when it vouches for headers. [HD2] */
import { toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { attestedBytes } from '../codec/nodes/headers.js';
import type { NodeTable } from '../codec/nodes/node-table.js';
import { DIGEST_BYTES } from '../codec/sha256/words.js';

const TAG = toUtf8('weft-headers-v1\0');

/** `places` in the order in which they stand in the pack. */
export function headersMessage(table: NodeTable, places: Iterable<number>): Uint8Array {
  const message = new Uint8Array(TAG.length + DIGEST_BYTES);
  message.set(TAG);
  message.set(sha256(attestedBytes(table, places)), TAG.length);
  return message;
}
