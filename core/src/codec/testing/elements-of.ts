/** The rule of counting read aloud, apart from the tables that follow it. [ND7] */
import type { Op } from '../nodes/op.js';

/** How many elements an op inserts. */
export function elementsOf(op: Op): number {
  if (op.kind === 'text-insert') return op.text.length;
  if (op.kind === 'list-insert') return op.values.length;
  return op.kind === 'list-move' ? 1 : 0;
}

export function elementsIn(ops: readonly Op[]): number {
  return ops.reduce((sum, op) => sum + elementsOf(op), 0);
}
