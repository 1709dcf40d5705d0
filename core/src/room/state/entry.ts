/** Entry of the log: one node, its values decoded. */
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { OP_DELETE, OP_SET } from '../../codec/nodes/op-kinds.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId, PublicKey } from '../../graph/node.js';
import type { Write } from './write.js';

export interface Entry {
  /** Log position, from 0. */
  readonly seq: number;
  readonly nodeId: NodeId;
  readonly author: PublicKey;
  readonly writes: readonly Write[];
  /** Names of what it changes, in order: registers, texts, lists and blobs. */
  readonly keys: readonly string[];
}

export function entryOf(graph: Graph, node: number): Entry {
  const { table } = graph;
  const writes: Write[] = [];
  const keys: string[] = [];
  for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) {
    const key = table.keys.names[table.key(op)]!;
    if (keys.at(-1) !== key) keys.push(key);
    if (table.kind(op) === OP_SET || table.isDormant(op)) writes.push({ key, value: decodeValue(table.contentOf(op)) });
    if (table.kind(op) === OP_DELETE) writes.push({ key, value: undefined });
  }
  return { seq: node, nodeId: graph.idOf(node), author: graph.authorOf(node), writes, keys };
}
