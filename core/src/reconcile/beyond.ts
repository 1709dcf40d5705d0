/**
 * The nodes that somebody lacks who holds the given ones, and with them everything that these stand on.
 *
 * Nodes stand behind their ancestors, so one pass from the newest node down knows of each node all that stands on it. It
 * ends when nothing that is lacked is left to look at: the cost follows how far back the oldest such node lies, at about
 * 10 ns for each node on the way.
 */
import { NONE } from '../codec/nodes/node-table.js';
import type { Graph } from '../graph/graph.js';

const LACKED = 1;
const HELD = 2;

/** Ascending, of the first `size` nodes, whose heads are given. */
export function beyond(graph: Graph, size: number, heads: readonly number[], held: Iterable<number>): number[] {
  const { prev, parents, parentsEnd } = graph.table;
  const marks = new Uint8Array(size);
  let open = 0;
  const reach = (node: number, mark: number): void => {
    if (marks[node]! >= mark) return;
    if (mark === LACKED) open++;
    else if (marks[node] === LACKED) open--;
    marks[node] = mark;
  };
  for (const node of held) reach(node, HELD);
  for (const node of heads) reach(node, LACKED);
  const lacked: number[] = [];
  for (let node = size - 1; open > 0; node--) {
    const mark = marks[node]!;
    if (mark === 0) continue;
    if (mark === LACKED) {
      open--;
      lacked.push(node);
    }
    if (prev.get(node) !== NONE) reach(prev.get(node), mark);
    const first = node === 0 ? 0 : parentsEnd.get(node - 1);
    for (let i = first; i < parentsEnd.get(node); i++) reach(parents.get(i), mark);
  }
  return lacked.reverse();
}
