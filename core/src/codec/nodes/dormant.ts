/** Dormant ops of a table: values that were overwritten leave memory, since the log has them, and come back where somebody asks. */
import { ByteWriter } from '../bytes/byte-writer.js';
import type { NodeTable } from './node-table.js';
import { DORMANT, OP_SET } from './op-kinds.js';

/**
 * Makes ops dormant, each of which sets a value: whoever wants it reads it from the log, and lends it. Ops keep their numbers,
 * and what was read of the content before stays as it was.
 */
export function letGo(table: NodeTable, ops: Iterable<number>): void {
  const before = table.content;
  unpackValues(table);
  let gone = 0;
  for (const op of ops) {
    if (table.isDormant(op)) continue;
    if (table.kind(op) !== OP_SET) throw new Error('an op that sets no value has none to let go');
    const length = table.contentEnd.get(op) - table.contentStart(op);
    table.heads.set(op, table.key(op) * 16 + DORMANT);
    table.count.set(op, length);
    gone += length;
  }
  const kept = new ByteWriter(before.length - gone);
  let [start, from] = [0, 0];
  for (let op = 0; op < table.ops; op++) {
    const end = table.contentEnd.get(op);
    if (end > start && table.isDormant(op)) {
      kept.copy(before.buffer, from, start);
      from = end;
    }
    table.contentEnd.set(op, kept.length + (end - from));
    start = end;
  }
  kept.copy(before.buffer, from, before.length);
  table.content = kept;
  table.dormantBytes += gone;
}

/** Takes the values of all dormant ops back, which are lent. */
export function takeBack(table: NodeTable): void {
  const before = table.content;
  unpackValues(table);
  const all = new ByteWriter(before.length + table.dormantBytes);
  let [start, from] = [0, 0];
  for (let op = 0; op < table.ops; op++) {
    const end = table.contentEnd.get(op);
    if (table.isDormant(op)) {
      all.copy(before.buffer, from, start);
      from = start;
      all.bytes(table.lentValue(op));
      table.heads.set(op, table.key(op) * 16 + OP_SET);
      table.count.set(op, 0);
    }
    table.contentEnd.set(op, all.length + (end - from));
    start = end;
  }
  all.copy(before.buffer, from, before.length);
  table.content = all;
  table.dormantBytes = 0;
}

/** Has these values at hand for as long as a call takes. */
export function lending<T>(table: NodeTable, values: ReadonlyMap<number, Uint8Array>, make: () => T): T {
  table.lent = values;
  try {
    return make();
  } finally {
    table.lent = undefined;
  }
}

/** Before ops become dormant, or are no more. */
function unpackValues(table: NodeTable): void {
  table.heads = table.heads.unpacked();
  table.count = table.count.unpacked();
  table.contentEnd = table.contentEnd.unpacked();
}
