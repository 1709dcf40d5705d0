/** What a copy of a room gives up since the room has: see `Dropping`. A page loads this when it first hears of such a thing. */
import type { Registers } from '../../crdt/registers.js';
import { CausalPast } from '../../graph/causal-past.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId } from '../../graph/node.js';
import { lostAmong } from '../../room/keeping/lost-nodes.js';
import { blank, toBlank } from '../../room/state/blanked.js';
import { PRUNED_KEY, erasedIn, prunedIn } from '../../room/state/given-up.js';

/** Nodes of which something goes, and what makes it go. */
type GivenUpHere = readonly [nodes: readonly number[], carryOut: () => void];

/** Parts of what is to be given up, each to be carried out before the next is asked for. */
export function* givenUpHere(graph: Graph, registers: Registers, followsPruning = false): Generator<GivenUpHere> {
  const whole = new Set([...erased(graph, registers), ...(followsPruning ? pruned(graph, registers) : [])]);
  if (whole.size > 0) yield [[...whole], () => graph.withhold(whole)];
  const blanked = toBlank(graph, registers);
  if (blanked.size > 0) yield [[...blanked.keys()], () => blank(graph, blanked)];
}

function erased(graph: Graph, registers: Registers): readonly number[] {
  const ids = erasedIn(registers).flatMap(([, { nodes }]) => nodes);
  const { withheld } = graph.table;
  return ids.map((id) => graph.find(id as NodeId)).filter((node) => node >= 0 && !withheld.has(node));
}

/**
 * Nodes that had lost when the room was pruned last: a server that says so has them all, and whatever beat them. What was beaten by
 * something that the server may still refuse is not among them. [PN6]
 */
function pruned(graph: Graph, registers: Registers): readonly number[] {
  const key = graph.table.keys.find(PRUNED_KEY);
  if (key === undefined || prunedIn(registers)?.state !== 'done') return [];
  const fact = registers.nodeOf(key);
  const past = new CausalPast(graph);
  for (let node = 0; node < graph.settled; node++) past.add(node);
  const isBefore = (node: number): boolean => node >= 0 && node < fact && past.includes(fact, node);
  const lost = lostAmong(graph.table, fact, (name) => {
    const winner = registers.nodeOf(name);
    return isBefore(winner) ? winner : undefined;
  });
  return [...lost].filter(isBefore);
}
