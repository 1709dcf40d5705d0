/** Two replicas of one room, as chance makes them: several authors, merges, forks; each holds some of it. */
import type { Graph } from '../../graph/graph.js';
import { WrittenRoom } from './rooms.js';

const AUTHORS = 4;
const SIDES = ['both', 'both', 'both', 'one', 'other'];

/** Each number is a node: who writes it, what it stands on, whether it begins a fork, and who is given it. */
export function twoReplicas(numbers: readonly number[], forks = true): readonly [Graph, Graph] {
  const room = new WrittenRoom();
  const own: number[][] = Array.from({ length: AUTHORS }, () => []);
  const sides: string[] = [];
  for (const number of numbers) {
    let left = number;
    const draw = (below: number): number => {
      const drawn = left % below;
      left = Math.floor(left / below);
      return drawn;
    };
    const nodes = own[draw(AUTHORS)]!;
    sides.push(SIDES[draw(SIDES.length)]!);
    const parents = Array.from({ length: draw(3) }, () => room.graph.size - 1 - draw(20)).filter((node) => node >= 0);
    const back = forks ? Math.max(0, draw(24) - 20) : 0;
    nodes.push(room.write(own.indexOf(nodes), parents, nodes.at(-1 - back) ?? -1));
  }
  const holds = (side: string) => (node: number) => ['both', side].includes(sides[node]!);
  return [room.replica(holds('one')), room.replica(holds('other'))];
}
