/**
 * Saved state: what a room or replica resolves to, as bytes that any machine reads. Keys, values with their winners,
 * tombstones and elements, and where the log stood. Nodes and chains are numbers in the order of that log. [RE2] [CP2]
 */
import type { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { fromHex, fromUtf8, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { ID_BYTES, MOST_ELEMENTS } from '../../codec/nodes/canonical-node.js';
import type { Document } from '../../crdt/document.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';

export interface SavedState {
  /** Nodes of the log. */
  readonly size: number;
  readonly frontier: readonly NodeId[];
  /** Nodes of the author's own that no server has confirmed. */
  readonly unconfirmed: readonly number[];
}

export function writeState(
  out: ByteWriter,
  graph: Graph,
  values: Document,
  { size, frontier, unconfirmed }: SavedState,
): void {
  out.varint(size);
  out.varint(frontier.length);
  for (const id of frontier) out.bytes(fromHex(id));
  const { names } = graph.table.keys;
  out.varint(names.length);
  for (const name of names) out.sized(toUtf8(name));
  out.varint(unconfirmed.length);
  for (const node of unconfirmed) out.varint(node);
  values.save(out);
}

/** Into an empty graph and its document; the values can be read then, and nothing else. */
export function readState(input: ByteReader, graph: Graph, values: Document): SavedState {
  const size = input.varint();
  const frontier = Array.from({ length: input.count(ID_BYTES, size) }, () => toHex(input.bytes(ID_BYTES)) as NodeId);
  for (let left = input.count(1, MOST_ELEMENTS); left > 0; left--) graph.table.keys.number(fromUtf8(input.sized()));
  const unconfirmed = Array.from({ length: input.count(1, size) }, () => input.varint());
  values.load(input);
  return { size, frontier, unconfirmed };
}
