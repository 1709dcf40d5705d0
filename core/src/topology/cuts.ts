/**
 * Beginnings of logs, and whether a log still begins as it did. [TP9]
 *
 * A room that was deleted and came back from an archive is the same room at another moment: what it had after the archive is gone, and
 * other nodes may stand in the same positions.
 */
import type { NodeId } from '../graph/node.js';
import type { Room } from '../room/room.js';

/**
 * Whether the first `seq` nodes of a log are those that had these heads. All of these are ancestors of the heads, ancestors come first, and
 * there are as many: so none of them is another one, whatever their order.
 */
export function beginsWith({ nodes }: Room, seq: number, heads: readonly string[]): boolean {
  const numbers = nodes.numbersOf(heads as readonly NodeId[]);
  return numbers.length === heads.length && numbers.every((number) => number < seq);
}

/** How many nodes two logs begin with that are the same, up to `most`. */
export function sharedBeginning(one: Room, other: Room, most: number): number {
  const end = Math.min(one.seq, other.seq, most);
  const nameOf = ({ nodes }: Room, seq: number): NodeId => nodes.describe(seq).nodeId;
  let seq = 0;
  while (seq < end && nameOf(one, seq) === nameOf(other, seq)) seq++;
  return seq;
}
