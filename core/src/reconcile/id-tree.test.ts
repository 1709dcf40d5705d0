import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/bytes/bytes.js';
import { Graph } from '../graph/graph.js';
import type { NodeId } from '../graph/node.js';
import { IdTree, type TreeElement } from './id-tree.js';
import { twoReplicas } from './testing/random-rooms.js';
import { WrittenRoom, idsOf, lackedBy } from './testing/rooms.js';
import { TreeWalk } from './tree-walk.js';

const replicas = fc.array(fc.nat(2 ** 30), { maxLength: 120, size: 'max' }).map((numbers) => twoReplicas(numbers));

const ZEROS = '0'.repeat(64);
const MEMBER = createHash('sha256').update('weft-id-tree-v1').digest();

/** Hash of a tree by the words of the specification, from the ids alone. */
function hashOf(ids: readonly string[], depth: number): string {
  if (ids.length === 0) return ZEROS;
  if (ids.length === 1) return ids[0]!;
  const maps = [0, 0];
  const entries: Buffer[] = [];
  for (let nibble = 0; nibble < 16; nibble++) {
    const below = ids.filter((id) => Number.parseInt(id[depth]!, 16) === nibble);
    if (below.length === 0) continue;
    maps[below.length === 1 ? 1 : 0]! |= 1 << nibble;
    entries.push(Buffer.from(hashOf(below, depth + 1), 'hex'), ...(below.length === 1 ? [MEMBER] : []));
  }
  const head = Buffer.from([0x57, 0x53, 0x54, 0x31, ...maps.flatMap((map) => [map >> 8, map & 255])]);
  return createHash('sha256')
    .update(Buffer.concat([head, ...entries]))
    .digest('hex');
}

function roomOf(nodes: number): WrittenRoom {
  const room = new WrittenRoom();
  for (let node = 0; node < nodes; node++) room.write(node % 7);
  room.graph.settle();
  return room;
}

/** To the end, in requests of `count` paths. */
function walk(ours: Graph, theirs: Graph, count: number): TreeWalk & { asked: number } {
  const tree = new IdTree(theirs);
  const holds = (id: string): boolean => ours.find(id as NodeId) >= 0;
  const walked = Object.assign(new TreeWalk(new IdTree(ours), tree.root, holds, 10_000), { asked: 0 });
  for (let paths = walked.next(count); paths.length > 0; paths = walked.next(count)) {
    walked.asked += paths.length;
    walked.take(tree.describeEach(paths));
  }
  return walked;
}

describe('the tree of ids', () => {
  it('[RC3] hashes what the specification says, at every path', () => {
    const { graph } = roomOf(300);
    const tree = new IdTree(graph);
    const ids = idsOf(graph);
    expect(tree.root).toBe(hashOf(ids, 0));
    expect(tree.size).toBe(300);
    const { children } = tree.describe('')!;
    expect(Object.keys(children)).toHaveLength(16);
    for (const [nibble, hash] of Object.entries(children)) {
      expect(hash).toBe(
        hashOf(
          ids.filter((id) => id.startsWith(nibble)),
          1,
        ),
      );
      expect(tree.describe(nibble)).toMatchObject({ path: nibble, hash, keys: [] });
    }
  });

  it('[RC3] of no id and of one', () => {
    expect(new IdTree(new Graph()).root).toBe(ZEROS);
    expect(new IdTree(new Graph()).describe('')).toBeUndefined();
    const { graph } = roomOf(1);
    const [id] = idsOf(graph);
    expect(new IdTree(graph).describe('')).toEqual({ path: '', hash: id, children: {}, keys: [id] });
    expect(new IdTree(graph).describe(id![0]!)).toBeUndefined();
  });

  it('[RC3] an id alone below a node is a leaf there, and nothing stands below it', () => {
    const { graph } = roomOf(40);
    const tree = new IdTree(graph);
    let leaves = 0;
    const look = (path: string): void => {
      const element = tree.describe(path)!;
      expect(element.path).toBe(path);
      const below = idsOf(graph).filter((id) => id.startsWith(path));
      expect(element.hash).toBe(hashOf(below, path.length));
      if (below.length === 1) {
        leaves++;
        expect(element).toEqual({ path, hash: below[0], children: {}, keys: below });
        expect(tree.describe(below[0]!.slice(0, path.length + 1))).toBeUndefined();
        expect(tree.describe(below[0]!)).toBeUndefined();
      }
      for (const nibble of Object.keys(element.children)) look(path + nibble);
    };
    look('');
    expect(leaves).toBe(40);
  });

  it('[RC3] paths that are none, or lead nowhere, are left out', () => {
    const tree = new IdTree(roomOf(40).graph);
    expect(tree.describeEach(['', 'A', 'x', '0'.repeat(30), '0'.repeat(65), ' ', '\n'])).toEqual([tree.describe('')]);
  });

  it('[RC3] no path leads out of the tree', () => {
    const tree = new IdTree(roomOf(2_000).graph);
    const wrong = Array.from('0123456789abcdef', (a) =>
      Array.from('0123456789abcdef', (b) => [`${a}${b}x`, `${a}x${b}`]),
    );
    expect(tree.describeEach(wrong.flat(2))).toEqual([]);
  });

  it('[RC3] follows the graph, and what may be taken back is not in it', () => {
    const room = roomOf(30);
    const tree = new IdTree(room.graph);
    const before = tree.root;
    room.write(1);
    expect(tree.root).toBe(before);
    room.graph.settle();
    expect(tree.root).toBe(hashOf(idsOf(room.graph), 0));
    expect(tree.root).not.toBe(before);
  });
});

describe('a walk', () => {
  it('[RC3] to the end of two trees tells what each side lacks', () => {
    fc.assert(
      fc.property(replicas, fc.integer({ min: 1, max: 40 }), ([ours, theirs], count) => {
        const { theyHave, weHave, isWhole } = walk(ours, theirs, count);
        expect([...theyHave].sort()).toEqual(lackedBy(theirs, ours));
        expect([...weHave].sort()).toEqual(lackedBy(ours, theirs));
        expect(isWhole).toBe(true);
      }),
    );
  });

  it('[RC3] finds an id of ours that stands alone where they have many', () => {
    const room = new WrittenRoom();
    for (let author = 0; author < 2_000; author++) room.write(author);
    const few = room.replica((node) => node % 100 === 0);
    const many = room.replica((node) => node % 100 !== 0);
    expect([...walk(few, many, 64).weHave].sort()).toEqual(idsOf(few));
    expect([...walk(many, few, 64).theyHave].sort()).toEqual(idsOf(few));
  });

  it('[RC3] asks for what differs, not for the whole tree', () => {
    const room = roomOf(2_000);
    const ours = room.replica(() => true);
    expect(
      walk(
        ours,
        room.replica(() => true),
        16,
      ).asked,
    ).toBe(0);
    const some = walk(
      ours,
      room.replica((node) => node < 1_995),
      16,
    );
    expect(some.weHave.size).toBe(5);
    expect(some.asked).toBeLessThan(30);
    expect(walk(ours, new Graph(), 16)).toMatchObject({ asked: 0, weHave: new Set(idsOf(ours)) });
    expect(walk(new Graph(), ours, 16).theyHave).toEqual(new Set(idsOf(ours)));
  });

  const leaf = (path: string, id: string): TreeElement => ({ path, hash: id, children: {}, keys: [id] });
  const inner = (path: string, children: Record<string, string>): TreeElement => ({
    path,
    hash: ZEROS,
    children,
    keys: [],
  });

  it.each([
    ['what was not asked for', [leaf('a', 'a'.repeat(64))]],
    ['a node twice', [leaf('', 'a'.repeat(64)), leaf('', 'a'.repeat(64))]],
    ['no id', [leaf('', 'xyz')]],
    ['two ids in a leaf', [{ ...leaf('', ZEROS), keys: [ZEROS, 'a'.repeat(64)] }]],
    ['no nibble', [inner('', { '': ZEROS })]],
    ['a long nibble', [inner('', { ab: ZEROS })]],
    ['no hash', [inner('', { a: 'b' })]],
  ])('[RC3] refuses %s', (_what, elements) => {
    const walked = new TreeWalk(new IdTree(new Graph()), 'f'.repeat(64), () => false, 100);
    walked.next(16);
    expect(() => walked.take(elements)).toThrow(DecodeError);
  });

  it('[RC3] refuses an id that does not lie below its path', () => {
    const walked = new TreeWalk(new IdTree(new Graph()), 'f'.repeat(64), () => false, 100);
    walked.next(16);
    walked.take([inner('', { a: 'b'.repeat(64) })]);
    expect(walked.next(16)).toEqual(['a']);
    expect(() => walked.take([leaf('a', 'b'.repeat(64))])).toThrow(DecodeError);
  });

  it('[RC3] says when something was left out, and ends where a tree does not [fault 23]', () => {
    const walked = new TreeWalk(new IdTree(new Graph()), 'f'.repeat(64), () => false, 100);
    walked.next(16);
    walked.take([]);
    expect(walked.isWhole).toBe(true);
    expect(walked.next(16)).toEqual([]);
    expect(walked.isWhole).toBe(false);

    const endless = new TreeWalk(new IdTree(new Graph()), 'f'.repeat(64), () => false, 1_000);
    const all = Object.fromEntries(Array.from('0123456789abcdef', (nibble) => [nibble, ZEROS.replace('0', 'e')]));
    expect(() => {
      for (let paths = endless.next(64); paths.length > 0; paths = endless.next(64))
        endless.take(paths.map((path) => inner(path, all)));
    }).toThrow('a tree that does not end');
  });
});
