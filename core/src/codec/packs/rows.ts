/**
 * Nodes as rows: how many, then each as its length and its canonical bytes. [PK10]
 *
 * The form of single edits on their way: nothing is deflated or summed up, and the receiver hashes what it received.
 */
import type { ByteReader } from '../bytes/byte-reader.js';
import type { ByteWriter } from '../bytes/byte-writer.js';
import { IDENTITY_BYTES, NODE_BOUNDS, readNode } from '../nodes/canonical-node.js';
import { canonicalBytes, identifyBytes } from '../nodes/node-id.js';
import type { NodeTable } from '../nodes/node-table.js';

/** Most nodes of a message: more than that is what packs are for. */
const ROWS = 4096;

export function writeRows(out: ByteWriter, table: NodeTable, places: readonly number[], from: number): void {
  out.varint(places.length - from);
  for (let i = from; i < places.length; i++) {
    const bytes = canonicalBytes(table, places[i]!);
    out.varint(bytes.length);
    out.copy(bytes.buffer, 0, bytes.length);
  }
}

export function readRows(input: ByteReader, table: NodeTable): void {
  for (let left = input.count(IDENTITY_BYTES, ROWS); left > 0; left--) {
    const length = input.count(1, NODE_BOUNDS.bytes);
    const from = input.skip(length);
    readNode(table, input.source, from, from + length);
    identifyBytes(table, input.source, from, from + length);
  }
}
