/** Single nodes as objects, to and from their canonical bytes. */
import { ID_BYTES, readNode } from '../nodes/canonical-node.js';
import { canonicalBytes, identify } from '../nodes/node-id.js';
import { NodeTable } from '../nodes/node-table.js';
import { type NodeFields, addNode, idOf, nodeAt } from '../packs/packed-node.js';
import { DIGEST_WORDS } from '../sha256/words.js';

export function encodeNode(node: NodeFields): Uint8Array {
  const table = new NodeTable(1);
  addNode(table, node, 0);
  return canonicalBytes(table, 0).view().slice();
}

export function decodeNode(bytes: Uint8Array): NodeFields {
  const table = new NodeTable(1);
  readNode(table, bytes, 0, bytes.length);
  for (let i = 0; i < DIGEST_WORDS; i++) table.ids.push(0);
  const { room, author, prev, parents, wallMs, ops } = nodeAt(table, 0);
  return { room, author, ...(prev ? { prev } : {}), parents, ...(wallMs === undefined ? {} : { wallMs }), ops };
}

export function nodeId(node: NodeFields): Uint8Array {
  const table = new NodeTable(1);
  addNode(table, node, 0);
  identify(table);
  return idOf(table, 0);
}

/** Bytewise order of ids: the order of parents in a node, and the last tie-break of the canonical order. */
export function compareIdBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < ID_BYTES; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
