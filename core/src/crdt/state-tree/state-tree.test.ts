import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../codec/bytes/bytes.js';
import { Entries } from './entries.js';
import { StateTree } from './state-tree.js';

const EMPTY_ROOT = createHash('sha256').update('WST1\0\0\0\0').digest('hex');

const pathOf = (key: string | number): Uint8Array => sha256(String(key));
const leafOf = (value: string | number): Uint8Array => sha256(`value ${value}`);
const rootHex = (tree: StateTree): string => toHex(tree.root());

function entriesOf(paths: readonly Uint8Array[], leaves: readonly Uint8Array[]): Entries {
  const entries = new Entries(paths.length);
  entries.bytes.set(concatBytes(paths.flatMap((path, at) => [path, leaves[at] ?? path])));
  return entries;
}

function allOf(paths: readonly Uint8Array[], leaves = paths): StateTree {
  const tree = new StateTree();
  tree.setAll(entriesOf(paths, leaves), paths.length);
  return tree;
}

function sha256(...parts: (string | Uint8Array)[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** The definition, spelled out: no marks, no memory of how the map came to be. */
function naiveRoot(map: ReadonlyMap<string, string>): string {
  return toHex(naiveNode([...map].sort(), 0));
}

function naiveNode(entries: readonly (readonly [path: string, leaf: string])[], depth: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let inner = 0;
  let leaves = 0;
  for (let slot = 0; slot < 16; slot++) {
    const below = entries.filter(([path]) => Number.parseInt(path[depth] ?? '', 16) === slot);
    if (below.length === 1) leaves |= 1 << slot;
    if (below.length > 1) inner |= 1 << slot;
    for (const [path, leaf] of below.length === 1 ? below : []) parts.push(fromHex(path), fromHex(leaf));
    if (below.length > 1) parts.push(naiveNode(below, depth + 1));
  }
  return sha256('WST1', Uint8Array.of(inner >> 8, inner, leaves >> 8, leaves), ...parts);
}

/** Paths that share up to 63 nibbles, so that small sets make long chains, splits and collapses. */
const nearPath = fc
  .tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 0, max: 15 }), fc.constantFrom('0', '7', 'f'))
  .map(([shared, nibble, rest]) => 'a'.repeat(shared) + nibble.toString(16) + rest.repeat(63 - shared));
const farPath = fc.integer({ min: 0, max: 40 }).map((key) => toHex(pathOf(key)));
const step = fc.record({
  path: fc.oneof(nearPath, farPath),
  leaf: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 2 }),
  ask: fc.boolean(),
});

describe('the root', () => {
  it('of the empty map is fixed', () => {
    expect(rootHex(new StateTree())).toBe(EMPTY_ROOT);
    expect(naiveRoot(new Map())).toBe(EMPTY_ROOT);
  });

  it('is pinned: another root for this map is another format', () => {
    const tree = new StateTree();
    for (let key = 0; key < 100; key++) tree.set(pathOf(key), leafOf(key));
    expect(rootHex(tree)).toBe('50dab9bdc91dc1f6430207608326cb84451d6dc5fd0fce81cdb81e1da1849cc9');
  });

  it('is that of the definition after every set and delete', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const tree = new StateTree();
        const map = new Map<string, string>();
        for (const { path, leaf } of steps) {
          if (leaf === null) {
            expect(tree.delete(fromHex(path))).toBe(map.delete(path));
          } else {
            tree.set(fromHex(path), leafOf(leaf));
            map.set(path, toHex(leafOf(leaf)));
          }
          expect(rootHex(tree)).toBe(naiveRoot(map));
          expect(tree.size).toBe(map.size);
        }
        for (const [path, leaf] of map) expect(toHex(tree.get(fromHex(path)) ?? new Uint8Array())).toBe(leaf);
      }),
      { numRuns: 250 },
    );
  });

  it('is that of the definition when it is asked for now and then', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const tree = new StateTree();
        const map = new Map<string, string>();
        for (const { path, leaf, ask } of steps) {
          if (leaf === null) tree.delete(fromHex(path));
          else tree.set(fromHex(path), leafOf(leaf));
          if (leaf === null) map.delete(path);
          else map.set(path, toHex(leafOf(leaf)));
          if (ask && map.size % 4 === 0) tree.root();
          else if (ask) tree.advance(map.size % 3);
        }
        expect(rootHex(tree)).toBe(naiveRoot(map));
      }),
      { numRuns: 500 },
    );
  });

  it('of 5,000 keys does not depend on how they came', () => {
    const keys = Array.from({ length: 5000 }, (_, key) => key);
    const forward = new StateTree();
    for (const key of keys) forward.set(pathOf(key), leafOf(key));
    const backward = new StateTree();
    for (const key of keys.toReversed()) {
      backward.set(pathOf(key), leafOf('old'));
      backward.set(pathOf(`passing ${key}`), leafOf(0));
      if (key % 7 === 0) backward.root();
      backward.set(pathOf(key), leafOf(key));
    }
    expect(rootHex(backward)).not.toBe(rootHex(forward));
    for (const key of keys) backward.delete(pathOf(`passing ${key}`));
    expect(rootHex(backward)).toBe(rootHex(forward));
    for (const key of keys) backward.delete(pathOf(key));
    expect(rootHex(backward)).toBe(EMPTY_ROOT);
  });

  it('changes with every leaf and every path', () => {
    const tree = new StateTree();
    const seen = new Set<string>();
    for (let key = 0; key < 500; key++) {
      tree.set(pathOf(key), leafOf(key));
      seen.add(rootHex(tree));
      tree.set(pathOf(key), leafOf(key + 1));
      seen.add(rootHex(tree));
    }
    expect(seen.size).toBe(1000);
  });

  it('stands on paths that part only in the last of 64 nibbles [fault 23]', () => {
    const tree = new StateTree();
    const map = new Map<string, string>();
    for (let slot = 0; slot < 16; slot++) {
      const path = 'b'.repeat(63) + slot.toString(16);
      tree.set(fromHex(path), leafOf(slot));
      map.set(path, toHex(leafOf(slot)));
      expect(rootHex(tree)).toBe(naiveRoot(map));
    }
    for (const path of [...map.keys()]) {
      expect(tree.delete(fromHex(path))).toBe(true);
      map.delete(path);
      expect(rootHex(tree)).toBe(naiveRoot(map));
    }
  });
});

describe('entries', () => {
  it('are copied in and out', () => {
    const tree = new StateTree();
    const path = pathOf(1);
    const leaf = leafOf(1);
    tree.set(path, leaf);
    const root = tree.root();
    leaf.fill(0);
    path.fill(0);
    tree.get(pathOf(1))?.fill(0);
    root.fill(0);
    expect(tree.get(pathOf(1))).toEqual(leafOf(1));
    expect(rootHex(tree)).not.toBe(toHex(root));
  });

  it('are absent before they are set and after they are deleted', () => {
    const tree = new StateTree();
    expect(tree.get(pathOf(1))).toBeUndefined();
    expect(tree.delete(pathOf(1))).toBe(false);
    tree.set(pathOf(1), leafOf(1));
    expect(tree.get(pathOf(2))).toBeUndefined();
    expect(tree.delete(pathOf(2))).toBe(false);
    expect(tree.delete(pathOf(1))).toBe(true);
    expect(tree.get(pathOf(1))).toBeUndefined();
    expect(tree.size).toBe(0);
  });

  it('are 32 bytes, path and leaf', () => {
    const tree = new StateTree();
    const short = new Uint8Array(31);
    expect(() => tree.set(short, leafOf(1))).toThrow('a path is 32 bytes, not 31');
    expect(() => tree.set(pathOf(1), new Uint8Array(33))).toThrow('a leaf is 32 bytes, not 33');
    expect(() => tree.get(short)).toThrow(RangeError);
    expect(() => tree.delete(short)).toThrow(RangeError);
    expect(() => tree.prove(short)).toThrow(RangeError);
    expect(tree.size).toBe(0);
  });
});

describe('a look at a node', () => {
  it('gives the hashes and the paths that the definition has there', () => {
    const map = new Map(Array.from({ length: 60 }, (_, n) => [toHex(pathOf(n)), toHex(leafOf(n))] as const));
    const tree = new StateTree();
    for (const [path, leaf] of map) tree.set(fromHex(path), fromHex(leaf));
    let leaves = 0;
    const look = (nibbles: readonly number[]): void => {
      const below = [...map].sort().filter(([path]) => path.startsWith(nibbles.map((n) => n.toString(16)).join('')));
      const seen = tree.look(nibbles);
      if (below.length < 2) return expect(seen).toBeUndefined();
      expect(toHex(seen!.hash)).toBe(toHex(naiveNode(below, nibbles.length)));
      for (const [nibble, slot] of seen!.slots.entries()) {
        const under = below.filter(([path]) => Number.parseInt(path[nibbles.length]!, 16) === nibble);
        expect(slot?.isLeaf).toBe(under.length === 0 ? undefined : under.length === 1);
        if (slot?.isLeaf) expect(toHex(slot.name)).toBe(under[0]![0]);
        if (slot?.isLeaf) leaves++;
        look([...nibbles, nibble]);
        if (slot && !slot.isLeaf) expect(slot.name).toEqual(tree.look([...nibbles, nibble])!.hash);
      }
    };
    look([]);
    expect(leaves).toBe(60);
  });
});

describe('setting many at once', () => {
  it.each([0, 1, 2, 17, 5000])('of %i entries gives the tree of setting them one by one', (count) => {
    const paths = Array.from({ length: count }, (_, key) => pathOf(key));
    const leaves = paths.map((_, key) => leafOf(key));
    const one = new StateTree();
    for (const [at, path] of paths.entries()) one.set(path, leaves[at] ?? path);
    const built = allOf(paths, leaves);
    expect(built.size).toBe(count);
    expect(rootHex(built)).toBe(rootHex(one));
    // Into a tree that has some of them, and others.
    const filled = new StateTree();
    for (let key = 0; key < 100; key++) filled.set(pathOf(key * 2), leafOf('old'));
    for (let key = 0; key < 100; key++) one.set(pathOf(key * 2), leafOf(key * 2 < count ? key * 2 : 'old'));
    filled.setAll(entriesOf(paths, leaves), count);
    expect(rootHex(filled)).toBe(rootHex(one));
  });

  it('gives the tree of the definition, however near the paths, and one that goes on', () => {
    const near = Array.from({ length: 64 }, (_, shared) => 'a'.repeat(shared) + '0'.repeat(64 - shared));
    const all = [...near, 'a'.repeat(64), ...Array.from({ length: 5000 }, (_, key) => toHex(pathOf(key)))];
    const map = new Map(all.map((path, at) => [path, toHex(leafOf(at))]));
    const paths = all.map(fromHex);
    const built = allOf(
      paths,
      paths.map((_, at) => leafOf(at)),
    );
    expect(rootHex(built)).toBe(naiveRoot(map));
    for (const path of near) {
      expect(built.delete(fromHex(path))).toBe(true);
      map.delete(path);
    }
    built.set(pathOf('more'), leafOf('more'));
    map.set(toHex(pathOf('more')), toHex(leafOf('more')));
    expect(rootHex(built)).toBe(naiveRoot(map));
  });

  it('refuses a path that is there twice among very many', () => {
    const paths = Array.from({ length: 5000 }, (_, key) => pathOf(key % 4999));
    expect(() => allOf(paths)).toThrow('two entries have one path');
  });
});

describe('memory', () => {
  it('is at most 95 bytes per key', () => {
    const paths = Array.from({ length: 60_000 }, () => new Uint8Array(randomBytes(32)));
    expect(allOf(paths).memory / 60_000).toBeLessThanOrEqual(95);
  });

  it('is at most 115 bytes per key that came alone', () => {
    const tree = new StateTree();
    for (let key = 0; key < 60_000; key++) tree.set(pathOf(key), leafOf(key));
    expect(tree.memory / 60_000).toBeLessThanOrEqual(115);
  });

  it('does not grow when as many keys come as go', () => {
    const tree = new StateTree();
    for (let key = 0; key < 3000; key++) tree.set(pathOf(key), leafOf(key));
    const replaceAll = (from: number): void => {
      for (let key = from; key < from + 20_000; key++) {
        // Not by `expect`: that takes longer than deleting.
        if (!tree.delete(pathOf(key))) expect.unreachable(`${key} was not there`);
        tree.set(pathOf(key + 3000), leafOf(key));
      }
    };
    const filled = tree.memory;
    replaceAll(0);
    const peak = tree.memory;
    // Freed pieces are of the sizes that were needed before, not of those that will be.
    expect(peak).toBeLessThan(filled * 2);
    replaceAll(20_000);
    for (let round = 0; round < 2000; round++) {
      tree.set(fromHex('c'.repeat(64)), leafOf(round));
      tree.set(fromHex('c'.repeat(63) + 'd'), leafOf(round));
      tree.delete(fromHex('c'.repeat(64)));
      tree.delete(fromHex('c'.repeat(63) + 'd'));
    }
    expect(tree.memory).toBeLessThan(peak * 1.2);
    expect(tree.size).toBe(3000);
  });

  it('of an empty tree is small, because most rooms are', () => {
    expect(new StateTree().memory).toBeLessThan(1024);
  });
});
