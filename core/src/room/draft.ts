/** Writes of registers as a new node on all heads. */
import { DecodeError, fromHex } from '../codec/bytes.js';
import { encodeValue } from '../codec/msgpack.js';
import { NONE } from '../codec/node-table.js';
import { KINDS } from '../codec/op-kinds.js';
import { BlobRef } from '../crdt/registers.js';
import type { Graph } from '../graph/graph.js';
import { Rejection } from '../rejection.js';
import type { HeldWrite, Write } from './write.js';

/** Throws a `Rejection`, and nothing has changed, for a key or value that no replica would take. */
export function writeDraft(
  graph: Graph,
  identity: number,
  writes: readonly (Write | HeldWrite)[],
  wallMs?: number,
): number {
  try {
    return refusing(() => {
      for (const write of writes) addWrite(graph, write);
      return graph.write(identity, graph.tip(identity), wallMs);
    });
  } catch (error) {
    graph.table.drop();
    throw error;
  }
}

function addWrite({ table }: Graph, write: Write | HeldWrite): void {
  const { key } = write;
  const number = table.keys.number(key);
  const held = 'held' in write ? write.held : write.value === undefined ? undefined : encode(key, write.value);
  if (held) table.content.bytes(held instanceof BlobRef ? fromHex(held.hash) : held);
  table.addOp(!held ? KINDS.delete : held instanceof BlobRef ? KINDS['set-blob'] : KINDS.set, number, NONE, 0, 0);
}

/** What the codec refuses is a mistake of whoever wrote it. */
export function refusing<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof DecodeError) throw new Rejection('invalid-value', error.message, { cause: error });
    throw error;
  }
}

/** Throws a `Rejection` for what no reader would take. */
export function encode(key: string, value: unknown): Uint8Array {
  try {
    return encodeValue(value);
  } catch (error) {
    throw new Rejection('invalid-value', `the value of ${JSON.stringify(key)} cannot be stored`, { cause: error });
  }
}
