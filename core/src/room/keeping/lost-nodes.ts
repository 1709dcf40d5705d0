/** Nodes that say nothing any more to what a room is: all of their ops are writes of registers that have lost. [PN1] */
import type { NodeTable } from '../../codec/nodes/node-table.js';
import { isRegisterOp } from '../../crdt/registers.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import type { Graph } from '../../graph/graph.js';
import type { DocumentView } from '../reading/document-view.js';

/** Nodes before a log position that have lost by then, as `view` has it. Those of the system tell who may do what: they stay. */
export function lostBefore({ table }: Graph, before: number, view: Pick<DocumentView, 'winningWrite'>): Set<number> {
  return lostAmong(table, before, (key) => view.winningWrite(table.keys.names[key]!)?.node ?? -1);
}

/** Nodes of which all registers were won by others. Where `winnerOf` a key is not known, what was written there stays. */
export function lostAmong(
  table: NodeTable,
  before: number,
  winnerOf: (key: number) => number | undefined,
): Set<number> {
  const { names } = table.keys;
  const winners = new Map<number, number | undefined>();
  const isLostAt = (key: number, node: number): boolean => {
    if (!winners.has(key)) winners.set(key, winnerOf(key));
    const winner = winners.get(key);
    return winner !== undefined && winner !== node;
  };
  const lost = new Set<number>();
  for (let node = 0; node < before; node++) {
    const [first, end] = [table.firstOp(node), table.opsEnd.get(node)];
    let isLost = first < end;
    for (let op = first; isLost && op < end; op++) {
      const key = table.key(op);
      isLost = isRegisterOp(table.kind(op)) && !isSystemKey(names[key]!) && isLostAt(key, node);
    }
    if (isLost) lost.add(node);
  }
  return lost;
}

/** Bytes of their values. */
export function bytesOf({ table }: Graph, nodes: Iterable<number>): number {
  let bytes = 0;
  for (const node of nodes) bytes += table.bytesOf(node);
  return bytes;
}
