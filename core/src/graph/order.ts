/** The canonical order of nodes: (lamport, author, id). The same on every replica, whatever their numbers are there. */
import { compareIds } from '../codec/nodes/compared-ids.js';
import type { Graph } from './graph.js';

export function compareNodes(graph: Graph, a: number, b: number): number {
  const { table, lamport } = graph;
  const difference = lamport.get(a) - lamport.get(b);
  if (difference !== 0) return difference;
  if (table.identity.get(a) !== table.identity.get(b)) {
    const [authorA, authorB] = [graph.authorOf(a), graph.authorOf(b)];
    if (authorA !== authorB) return authorA < authorB ? -1 : 1;
  }
  return compareIds(table, a, b);
}
