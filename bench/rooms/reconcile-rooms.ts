// Pairs of replicas that differ a little, in the ways in which replicas do.
import { WrittenRoom } from '@weft/core/testing';

export type Graph = ReturnType<WrittenRoom['replica']>;

export interface Difference {
  readonly name: string;
  readonly authors: number;
  /** Writes the nodes that are not everywhere; answers who has each, by its number among them. */
  write(room: WrittenRoom, authors: number): (later: number) => 'asking' | 'asked';
}

/** Share of nodes that stand on another author's newest one as well, one in so many. */
const SEEN = 10;

const inTurn = (later: number): 'asking' | 'asked' => (later % 2 === 0 ? 'asking' : 'asked');

/** Difference in the last nodes, by two authors who had seen everything before. */
function recent(count: number, who: (later: number) => 'asking' | 'asked'): Difference['write'] {
  return (room) => {
    for (let later = 0; later < count; later += 1) room.write(later % 2);
    return who;
  };
}

/** Difference in one more node of each of `count` authors, which went to one side alone. */
function scattered(count: number): Difference['write'] {
  return (room) => {
    for (let author = 0; author < count; author += 1) room.write(author);
    return inTurn;
  };
}

export const differences: readonly Difference[] = [
  { name: 'in sync', authors: 100, write: recent(0, inTurn) },
  { name: '10 recent', authors: 100, write: recent(10, inTurn) },
  { name: '100 recent', authors: 100, write: recent(100, inTurn) },
  { name: '100 behind', authors: 100, write: recent(100, () => 'asked') },
  { name: '100 scattered', authors: 100, write: scattered(100) },
  { name: '1,000 scattered', authors: 1_000, write: scattered(1_000) },
];

/**
 * Replicas of a room in which authors write in turn, `nodes` in all; those who write the last of them have seen all
 * heads.
 */
export function replicasOf({ authors, write }: Difference, nodes: number): { asking: Graph; asked: Graph } {
  const room = new WrittenRoom();
  while (room.graph.size < nodes) {
    const node = room.graph.size;
    const other = node % SEEN === 0 ? room.tip((node * 7) % authors) : -1;
    room.write(node % authors, other < 0 ? [] : [other]);
  }
  const before = room.graph.size;
  const who = write(room, authors);
  const has = (side: 'asking' | 'asked') => (node: number) => node < before || who(node - before) === side;
  return { asking: room.replica(has('asking')), asked: room.replica(has('asked')) };
}
