/** What an authority signs when it vouches for headers. [HD2] */
import { concatBytes, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { type Headers, attestedBytes, isToldWithOps } from '../codec/nodes/headers.js';
import type { NodeTable } from '../codec/nodes/node-table.js';

const TAG = toUtf8('weft-headers-v1\0');
/** Tag of a message about headers that say what is left of their ops. */
const TAG_OF_REMAINS = toUtf8('weft-headers-v2\0');

/** `places` in the order in which they stand in the pack. */
export function headersMessage(table: NodeTable, places: readonly number[], headers: Headers): Uint8Array {
  const tellsOps = places.some((place) => isToldWithOps(table, headers, place));
  const digest = sha256(attestedBytes(table, places, tellsOps ? headers : undefined));
  return concatBytes([tellsOps ? TAG_OF_REMAINS : TAG, digest]);
}
