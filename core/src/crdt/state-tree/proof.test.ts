import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { concatBytes, equalBytes, fromHex, toHex } from '../../codec/bytes/bytes.js';
import { verifyProof } from './proof.js';
import { StateTree } from './state-tree.js';

/** Bits between two that are flipped, prime to those of a byte: each bit of some byte, and in the long suite of each. */
const STEP = process.env['TESTS_LONG'] ? 1 : 3;

const pathOf = (key: string | number): Uint8Array => sha256(`key ${key}`);
const leafOf = (value: string | number): Uint8Array => sha256(`value ${value}`);

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

function nodeHash(maps: Uint8Array, entries: Uint8Array = new Uint8Array(0)): Uint8Array {
  return new Uint8Array(createHash('sha256').update('WST1').update(maps).update(entries).digest());
}

function treeOf(count: number): StateTree {
  const tree = new StateTree();
  for (let key = 0; key < count; key++) tree.set(pathOf(key), leafOf(key));
  return tree;
}

function deepTree(): StateTree {
  const tree = treeOf(3);
  for (let shared = 0; shared < 64; shared += 7)
    tree.set(fromHex('e'.repeat(shared) + 'd'.repeat(64 - shared)), leafOf(shared));
  tree.set(fromHex('e'.repeat(64)), leafOf('e'));
  tree.set(fromHex('e'.repeat(63) + 'f'), leafOf('f'));
  return tree;
}

interface Sample {
  readonly name: string;
  readonly tree: StateTree;
  readonly path: Uint8Array;
  readonly leaf?: Uint8Array;
}

const besideLeaf = flipBit(pathOf(7), 255);
const samples: readonly Sample[] = [
  { name: 'absence in the empty tree', tree: treeOf(0), path: pathOf(1) },
  { name: 'the only key', tree: treeOf(1), path: pathOf(0), leaf: leafOf(0) },
  { name: 'absence beside the only key', tree: treeOf(1), path: pathOf(5) },
  { name: 'one of 50 keys', tree: treeOf(50), path: pathOf(7), leaf: leafOf(7) },
  { name: 'absence where another leaf is', tree: treeOf(50), path: besideLeaf },
  { name: 'absence in an empty slot', tree: treeOf(9), path: emptySlotPath(treeOf(9)) },
  { name: 'a key 64 nibbles deep', tree: deepTree(), path: fromHex('e'.repeat(64)), leaf: leafOf('e') },
  { name: 'absence 64 nibbles deep', tree: deepTree(), path: fromHex('e'.repeat(63) + '0') },
  { name: 'absence in a chain', tree: deepTree(), path: fromHex('e'.repeat(30) + '0'.repeat(34)) },
];

/** Its slot of the root holds nothing: no key's path begins with this nibble. */
function emptySlotPath(tree: StateTree): Uint8Array {
  for (let key = 100; ; key++) {
    const path = pathOf(key);
    const taken = Array.from({ length: tree.size }, (_, held) => (pathOf(held)[0] ?? 0) >> 4);
    if (!taken.includes((path[0] ?? 0) >> 4)) return path;
  }
}

function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const out = bytes.slice();
  out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return out;
}

const without = (bytes: Uint8Array, at: number, count = 1): Uint8Array =>
  concatBytes([bytes.subarray(0, at), bytes.subarray(at + count)]);
const withBytes = (bytes: Uint8Array, at: number, added: Uint8Array): Uint8Array =>
  concatBytes([bytes.subarray(0, at), added, bytes.subarray(at)]);

describe.each(samples)('the proof of $name', ({ tree, path, leaf }) => {
  const root = tree.root();
  const proof = tree.prove(path);
  const refused = (bytes: Uint8Array, what: string): void => {
    if (verifyProof(bytes, path, root) !== undefined) expect.unreachable(what);
  };

  it('holds and says what is true', () => {
    expect(verifyProof(proof, path, root)).toEqual(leaf ? { present: true, leaf } : { present: false });
    expect(tree.get(path)).toEqual(leaf);
  });

  it('fails with any bit flipped', () => {
    for (let bit = 0; bit < proof.length * 8; bit += STEP) refused(flipBit(proof, bit), `bit ${bit}`);
  });

  it('fails with any other value in any byte of version, path and first maps', () => {
    for (let at = 0; at < 37; at++) {
      const changed = proof.slice();
      for (let value = 0; value < 256; value++) {
        changed[at] = value;
        if (value !== proof[at]) refused(changed, `byte ${at} = ${value}`);
      }
    }
  });

  it('fails with bytes taken away anywhere, or cut off', () => {
    for (let at = 0; at < proof.length; at++) {
      refused(proof.subarray(0, at), `cut at ${at}`);
      for (const count of [1, 2, 32, 64]) {
        const shorter = without(proof, at, count);
        if (!equalBytes(shorter, proof)) refused(shorter, `${count} bytes from ${at}`);
      }
    }
  });

  it('fails with bytes added anywhere', () => {
    for (let at = 0; at <= proof.length; at++) {
      for (const count of [1, 4, 32, 64]) {
        refused(withBytes(proof, at, new Uint8Array(count)), `${count} zeros at ${at}`);
        refused(withBytes(proof, at, new Uint8Array(randomBytes(count))), `${count} bytes at ${at}`);
      }
    }
  });

  it('fails for any other path and any other root', () => {
    for (let bit = 0; bit < 256; bit++) {
      expect(verifyProof(proof, flipBit(path, bit), root)).toBeUndefined();
      expect(verifyProof(proof, path, flipBit(root, bit))).toBeUndefined();
    }
  });

  it('fails under the root of a map in which this path is otherwise', () => {
    tree.set(path, leafOf('another'));
    expect(verifyProof(proof, path, tree.root())).toBeUndefined();
    if (leaf) tree.delete(path);
    if (leaf) expect(verifyProof(proof, path, tree.root())).toBeUndefined();
    if (leaf) tree.set(path, leaf);
    else tree.delete(path);
    expect(verifyProof(proof, path, tree.root())?.present).toBe(leaf !== undefined);
  });
});

describe('proofs of 3,000 keys', () => {
  const tree = treeOf(3000);
  const root = tree.root();

  it('hold for every key, and for as many absent ones', () => {
    for (let key = 0; key < 3000; key++) {
      const found = verifyProof(tree.prove(pathOf(key)), pathOf(key), root);
      if (!found?.leaf || !equalBytes(found.leaf, leafOf(key))) expect.unreachable(`key ${key}`);
      const absent = pathOf(`absent ${key}`);
      if (verifyProof(tree.prove(absent), absent, root)?.present !== false) expect.unreachable(`absent ${key}`);
    }
  });

  it('are the same bytes whatever the history', () => {
    const other = treeOf(4000);
    for (let key = 3000; key < 4000; key++) other.delete(pathOf(key));
    for (const key of [1, 500, 2999, 3500]) expect(other.prove(pathOf(key))).toEqual(tree.prove(pathOf(key)));
  });

  /** Changes of bytes that are tried; the long suite tries 200,000. */
  const CHANGES = process.env['TESTS_LONG'] ? 200_000 : 50_000;

  it('are never believed after a random change', () => {
    const paths = Array.from({ length: 200 }, (_, key) => pathOf(key % 2 === 0 ? key : `absent ${key}`));
    const proofs = paths.map((path) => tree.prove(path));
    const random = randomSource();
    let tried = 0;
    while (tried < CHANGES) {
      const pick = random(proofs.length);
      const proof = proofs[pick] ?? root;
      const changed = mutate(proof, proofs[random(proofs.length)] ?? root, random);
      if (equalBytes(changed, proof)) continue;
      tried++;
      if (verifyProof(changed, paths[pick] ?? root, root) !== undefined) expect.unreachable(toHex(changed));
    }
  });
});

describe('bytes that are no proof', () => {
  const path = fromHex('e'.repeat(64));

  it('are refused without an exception', () => {
    const root = treeOf(20).root();
    for (let round = 0; round < 20_000; round++) {
      const junk = new Uint8Array(randomBytes(round % 300));
      if (round % 2 === 0) junk.set(concatBytes([Uint8Array.of(1), path]).subarray(0, junk.length));
      expect(verifyProof(junk, path, root)).toBeUndefined();
    }
  });

  it('include nodes below the last nibble, even where the hash of them all is the root', () => {
    // Slot 14 at every depth of the path, and whatever slot a reader might take below it.
    const node = Uint8Array.of(0x40, 0, 0, 0);
    for (const [count, holds] of [
      [63, true],
      [64, false],
      [65, false],
      [5000, false],
    ] as const) {
      const chain = Array.from({ length: count }, (_, depth) => (depth < 64 ? node : Uint8Array.of(0, 1, 0, 0)));
      let root: Uint8Array = nodeHash(new Uint8Array(4));
      for (const maps of chain.toReversed()) root = nodeHash(maps, root);
      const proof = concatBytes([Uint8Array.of(1), path, ...chain, new Uint8Array(4)]);
      expect(verifyProof(proof, path, root) !== undefined, `${count} nodes above the last`).toBe(holds);
      expect(verifyProof(proof.subarray(0, proof.length - 4), path, root)).toBeUndefined();
    }
  });

  it('include a slot in both maps, even where the hash of the bytes is the root', () => {
    const maps = Uint8Array.of(0x00, 0x01, 0x00, 0x01);
    const entries = new Uint8Array(randomBytes(96));
    const proof = concatBytes([Uint8Array.of(1), path, maps, entries]);
    expect(verifyProof(proof, path, nodeHash(maps, entries))).toBeUndefined();
  });

  it('include paths and roots of another length', () => {
    const tree = treeOf(3);
    const proof = tree.prove(pathOf(0));
    expect(verifyProof(proof, pathOf(0).subarray(0, 31), tree.root())).toBeUndefined();
    expect(verifyProof(proof, pathOf(0), concatBytes([tree.root(), new Uint8Array(1)]))).toBeUndefined();
    expect(verifyProof(new Uint8Array(0), pathOf(0), tree.root())).toBeUndefined();
  });
});

/** xorshift32, seeded anew in each run; a failure prints the proof itself. */
function randomSource(): (below: number) => number {
  let state = randomBytes(4).readInt32LE() | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function mutate(proof: Uint8Array, other: Uint8Array, random: (below: number) => number): Uint8Array {
  const at = random(proof.length);
  const length = 1 + random(96);
  const changed = proof.slice();
  switch (random(7)) {
    case 0:
      return flipBit(proof, random(proof.length * 8));
    case 1:
      changed[at] = random(256);
      return changed;
    case 2:
      return without(proof, at, length);
    case 3:
      return withBytes(proof, at, other.subarray(at, at + length));
    case 4:
      changed.set(other.subarray(at, Math.min(at + length, proof.length)), at);
      return changed;
    case 5:
      changed.copyWithin(at, random(proof.length), random(proof.length));
      return changed;
    default:
      return concatBytes([proof.subarray(0, at), other.subarray(at)]);
  }
}
