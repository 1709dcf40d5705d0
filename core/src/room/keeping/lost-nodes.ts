/** Nodes that say nothing any more to what a room is: all of their ops are writes of registers that have lost. [PN1] */
import { isRegisterOp } from '../../crdt/registers.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import type { Graph } from '../../graph/graph.js';
import type { DocumentView } from '../reading/document-view.js';

/** Nodes before a log position that have lost by then, as `view` has it. Those of the system tell who may do what: they stay. */
export function lostBefore({ table }: Graph, before: number, view: Pick<DocumentView, 'winningWrite'>): Set<number> {
  const { names } = table.keys;
  const winners = new Map<number, number>();
  const winnerOf = (key: number): number => {
    const known = winners.get(key);
    if (known !== undefined) return known;
    const node = view.winningWrite(names[key]!)?.node ?? -1;
    winners.set(key, node);
    return node;
  };
  const lost = new Set<number>();
  for (let node = 0; node < before; node++) {
    const [first, end] = [table.firstOp(node), table.opsEnd.values[node]!];
    let isLost = first < end;
    for (let op = first; isLost && op < end; op++) {
      const key = table.key(op);
      isLost = isRegisterOp(table.kind(op)) && !isSystemKey(names[key]!) && winnerOf(key) !== node;
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
