/** Content of registers as hashes are told it. */
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { OP_DELETE, OP_SET_BLOB } from '../codec/nodes/op-kinds.js';
import type { Graph } from '../graph/graph.js';
import type { Registers } from './registers.js';

/** What the state hash is told a register's content is: MessagePack bytes, or the hash of a blob. [SH1] */
export const FORM_BYTES = 0;
export const FORM_BLOB = 1;

/** Writes the form and content of a register; false, and nothing is written, where there is nothing. */
export function writeRegister(out: ByteWriter, registers: Registers, { table }: Graph, key: number): boolean {
  const op = registers.opOf(key);
  if (op < 0 || table.kind(op) === OP_DELETE) return false;
  const kept = registers.kept?.get(op);
  out.byte(table.kind(op) === OP_SET_BLOB ? FORM_BLOB : FORM_BYTES);
  if (kept || table.isDormant(op)) out.bytes(kept ?? table.lentValue(op));
  else out.copy(table.content.buffer, table.contentStart(op), table.contentEnd.get(op));
  return true;
}
