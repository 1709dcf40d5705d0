/** What a host asks of nodes that it reads from a log; a page does not. */
import type { NodeTable } from '../../codec/nodes/node-table.js';
import { isOfGivenUp } from './given-up.js';

/** Whether nodes from a place on say that history was given up. */
export function saysGivenUp(table: NodeTable, from: number): boolean {
  for (let op = table.firstOp(from); op < table.ops; op++)
    if (isOfGivenUp(table.keys.names[table.key(op)]!)) return true;
  return false;
}
