/** Winners of registers by themselves, as hosts keep and compare them: beside a graph, and between rooms. */
import type { ByteReader } from '../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { loadColumn, saveColumn } from '../codec/bytes/saved-column.js';
import type { Document } from './document.js';
import type { BlobRef, Registers } from './registers.js';

/** Write that won a register, a deletion too, as it is compared with one of another graph. */
export interface WinningWrite {
  readonly node: number;
  readonly lamport: number;
  /** Author and id, in hex: what writes of one lamport are ordered by. */
  readonly name: string;
  /** MessagePack bytes, a blob, or nothing. */
  readonly held: Uint8Array | BlobRef | undefined;
}

/** Beside a graph that is saved as well: winners alone, as this machine has them. */
export function saveWinners({ nodes, ops }: Registers, out: ByteWriter): void {
  saveColumn(nodes, out);
  saveColumn(ops, out);
}

export function loadWinners({ nodes, ops }: Registers, input: ByteReader): void {
  loadColumn(nodes, input);
  loadColumn(ops, input);
}

/** Gives up winners that were loaded of another room's state: its system keys do not count here. */
export function keepOwn(registers: Registers): void {
  const { nodes, ops } = registers;
  for (let key = 0; key < ops.length; key++) {
    if (registers.nodeOf(key) < 0 || registers.acts(registers.nodeOf(key), registers.opOf(key))) continue;
    nodes.values[key] = 0;
    ops.values[key] = 0;
  }
}

/** Undefined where nobody has written. */
export function winnerOf({ registers, graph }: Document, name: string): WinningWrite | undefined {
  const key = graph.table.keys.find(name);
  if (key === undefined || registers.nodeOf(key) < 0) return undefined;
  const node = registers.nodeOf(key);
  const value = registers.value(key);
  return {
    node,
    lamport: graph.lamport.get(node),
    name: graph.authorOf(node) + graph.idOf(node),
    held: value instanceof Uint8Array ? value.slice() : value,
  };
}
