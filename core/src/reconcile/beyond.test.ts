import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withAncestors } from '../graph/graph.js';
import { Snapshot } from './snapshot.js';
import { twoReplicas } from './testing/random-rooms.js';
import { WrittenRoom } from './testing/rooms.js';

const replicas = fc.array(fc.nat(2 ** 30), { maxLength: 120, size: 'max' }).map((numbers) => twoReplicas(numbers));

describe('what somebody lacks who holds some nodes', () => {
  it('[RC6] is everything but these and their ancestors', () => {
    fc.assert(
      fc.property(replicas, fc.array(fc.nat(), { maxLength: 6 }), ([graph], picks) => {
        const held = graph.size === 0 ? [] : picks.map((pick) => pick % graph.size);
        const marked = withAncestors(graph, held);
        const expected = [...new Array(graph.size).keys()].filter((node) => marked[node] === 0);
        expect(new Snapshot(graph).beyond(held)).toEqual(expected);
      }),
    );
  });

  it('[RC6] leaves out what came after the snapshot', () => {
    const room = new WrittenRoom();
    const first = room.write(0);
    room.write(1, [first]);
    room.graph.settle();
    const snapshot = new Snapshot(room.graph);
    const { root } = snapshot;
    room.write(0);
    room.write(2);
    room.graph.settle();
    expect(snapshot.beyond([])).toEqual([0, 1]);
    expect(snapshot.beyond([first])).toEqual([1]);
    expect(snapshot.chains.map((chain) => snapshot.lengthOf(chain))).toEqual([1, 1]);
    expect(snapshot.root).toEqual(root);
    expect(new Snapshot(room.graph).root).not.toEqual(root);
  });
});
