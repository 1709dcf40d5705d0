/** Registers whose values are let go from memory, since the log has them. */
import { OP_SET } from '../codec/nodes/op-kinds.js';
import type { Document } from './document.js';
import { isSystemKey } from './system-keys.js';

/** Whether an op has set a value that is overwritten for good: what has lost never wins again. */
export function hasLost({ registers, graph }: Document, op: number): boolean {
  const { table } = graph;
  const key = table.key(op);
  return table.kind(op) === OP_SET && registers.opOf(key) !== op && !isSystemKey(table.keys.names[key]!);
}

/** Dormant ops that have won here and whose values are not at hand. */
export function missingOf({ registers, graph }: Document): number[] {
  const { ops, kept } = registers;
  const missing: number[] = [];
  for (let key = 0; key < ops.length; key++) {
    const op = ops.values[key]! - 1;
    if (op >= 0 && graph.table.isDormant(op) && kept?.has(op) !== true) missing.push(op);
  }
  return missing;
}

/** Keeps the values of winners that are made dormant next, or that are lent. */
export function keepValues({ registers, graph }: Document, ops: Iterable<number>): void {
  const { table } = graph;
  for (const op of ops)
    if (registers.opOf(table.key(op)) === op) (registers.kept ??= new Map()).set(op, table.contentOf(op).slice());
}
