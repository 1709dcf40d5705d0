/** The state hash against its definition, spelled out for a few nodes. How it changes and agrees: client/state-hash.test.ts. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import type { Op } from '../codec/nodes/op.js';
import { Graph } from '../graph/graph.js';
import { NO_ROOM, type NodeId, type PublicKey } from '../graph/node.js';
import { type Node, addTo, identify } from '../graph/testing/nodes.js';
import { Document } from './document.js';
import { StateHash } from './state-hash.js';
import { BlobRef } from './registers.js';
import { pathOf, registerLeaf } from './state-leaf.js';
import { StateTree } from './state-tree/state-tree.js';

type Part = string | number | Uint8Array;

const [REGISTER, TEXT, LIST] = [0, 1, 2] as const;
/** Flags of a run of elements. */
const [RIGHT, DELETED, NEAR, AT_START] = [1, 2, 4, 8] as const;

const [alice, bob] = ['a1'.repeat(32), 'b2'.repeat(32)] as [PublicKey, PublicKey];
const blob = 'cd'.repeat(32);
const longKey = 'k'.repeat(40);

/** Texts are ASCII, numbers are bytes. */
function hashOf(...parts: Part[]): Uint8Array {
  const bytes = parts.map((part) =>
    typeof part === 'string' ? toUtf8(part) : typeof part === 'number' ? Uint8Array.of(part) : part,
  );
  return new Uint8Array(createHash('sha256').update(concatBytes(bytes)).digest());
}

function rootOf(entries: readonly (readonly [path: Uint8Array, leaf: Uint8Array])[]): Uint8Array {
  const tree = new StateTree();
  for (const [path, leaf] of entries) tree.set(path, leaf);
  return tree.root();
}

/** A key of fewer than 32 characters is one byte and its characters. */
const named = (kind: number, key: string): Part[] => [kind, 0xa0 + key.length, key];

const entryOf = (kind: number, key: string, ...content: Part[]): [path: Uint8Array, leaf: Uint8Array] => [
  hashOf('weft-path-v1', 0, ...named(kind, key)),
  hashOf('weft-leaf-v1', 0, ...named(kind, key), ...content),
];

const blockOf = ({ id }: Node, number: number, ...runs: Part[]): [path: Uint8Array, leaf: Uint8Array] => [
  hashOf('weft-block-path-v1', 0, fromHex(id), number),
  hashOf('weft-block-v1', 0, fromHex(id), number, ...runs),
];

const units = (text: string): Uint8Array => Uint8Array.from([...text].flatMap((unit) => [0, unit.charCodeAt(0)]));

function node(author: PublicKey, ops: readonly Op[], prev?: Node, parent?: Node): Node {
  const parents = parent ? [parent.id] : [];
  return identify({ room: NO_ROOM as NodeId, author, ...(prev ? { prev: prev.id } : {}), parents, ops });
}

const first = node(alice, [
  { kind: 'set', key: 'n', value: encodeValue(7) },
  { kind: 'set-blob', key: 'b', hash: fromHex(blob) },
  { kind: 'set', key: 'gone', value: encodeValue(1) },
  { kind: 'text-insert', key: 't', anchor: { ref: null, side: 'right' }, text: 'hello' },
]);
const second = node(
  alice,
  [
    { kind: 'delete', key: 'gone' },
    { kind: 'text-insert', key: 't', anchor: { ref: 4, side: 'right' }, text: '-'.repeat(65) },
    { kind: 'text-delete', key: 't', last: 2, count: 1 },
    {
      kind: 'list-insert',
      key: 'l',
      anchor: { ref: null, side: 'right' },
      values: [encodeValue('x'), encodeValue('y')],
    },
  ],
  first,
);
const third = node(
  bob,
  [
    { kind: 'text-insert', key: 't', anchor: { ref: { node: fromHex(first.id), offset: 0 }, side: 'left' }, text: 'z' },
    {
      kind: 'list-move',
      key: 'l',
      item: { node: fromHex(second.id), offset: 66 },
      anchor: { ref: { node: fromHex(second.id), offset: 65 }, side: 'left' },
    },
  ],
  undefined,
  second,
);

// Elements 0 to 69 of alice's chain are of the text, 70 and 71 of the list; bob's are 0 and 1. Of an element of another
// branch the branch is named.
const textBlocks = [
  blockOf(
    first,
    0,
    ...[0, 2, RIGHT | AT_START, units('he')],
    ...[2, 1, RIGHT | DELETED | NEAR, 1],
    ...[3, 61, RIGHT | NEAR, 2, units(`lo${'-'.repeat(59)}`)],
  ),
  blockOf(first, 1, ...[0, 6, RIGHT | NEAR, 63, units('-'.repeat(6))]),
  blockOf(third, 0, ...[0, 1, 0, 0, fromHex(first.id), units('z')]),
];
const listBlocks = [
  blockOf(first, 1, ...[6, 1, RIGHT | AT_START, 0, 2, encodeValue('x')], ...[7, 1, RIGHT | DELETED | NEAR, 70]),
  blockOf(third, 0, ...[1, 1, 0, 70, fromHex(first.id), 1, fromHex(second.id), 66, 2, encodeValue('y')]),
];
const expected = toHex(
  rootOf([
    entryOf(REGISTER, 'n', 0, encodeValue(7)),
    entryOf(REGISTER, 'b', 1, fromHex(blob)),
    entryOf(TEXT, 't', 2, rootOf(textBlocks)),
    entryOf(LIST, 'l', 2, rootOf(listBlocks)),
  ]),
);

describe('the state hash', () => {
  it.each([0, 1, 2, 3])('[SH1] [SH3] is that of its definition, asked for first after %i nodes', (before) => {
    const graph = new Graph();
    const document = new Document(graph, StateHash);
    for (const [at, one] of addTo(graph, [first, second, third]).entries()) {
      if (at >= before) expect(document.hash.root()).toMatch(/^[0-9a-f]{64}$/);
      document.apply(one);
    }
    expect(document.hash.root()).toBe(expected);
    expect(document.hash.root()).toBe(expected);
  });

  it('[SH4] has the ranges of a text by where they begin, where they end and their names, in whatever parts they come', () => {
    const text: Op = { kind: 'text-insert', key: 't', anchor: { ref: null, side: 'right' }, text: 'hello' };
    const inserted = node(alice, [text]);
    const [start, end] = [
      { ref: null, side: 'right' },
      { ref: null, side: 'left' },
    ] as const;
    const beside = (ref: number, side: 'left' | 'right') => ({ ref, side });
    const ranges = [
      [beside(0, 'left'), beside(3, 'right'), 'bold', true],
      [beside(1, 'left'), beside(3, 'right'), 'bold', 1],
      [beside(0, 'right'), beside(3, 'right'), 'bold', 1],
      [beside(0, 'left'), beside(3, 'left'), 'bold', 1],
      [beside(0, 'left'), beside(4, 'right'), 'bold', 1],
      [beside(0, 'left'), beside(3, 'right'), 'link', 'x'],
      [beside(0, 'left'), end, 'bold', 2],
      [start, beside(3, 'right'), 'bold', null],
    ] as const;
    const marking = node(
      alice,
      ranges.map(([from, to, name, value]) => ({
        ...{ kind: 'text-mark', key: 't', from, to, name, value: encodeValue(value) },
      })),
      inserted,
    );
    const endOf = ({ ref, side }: (typeof ranges)[number][0 | 1]): Part[] => {
      const isBehind = side === 'right' ? 1 : 0;
      return ref === null ? [isBehind | 2] : [isBehind, fromHex(inserted.id), ref];
    };
    const marks = ranges.map(([from, to, name, value], index): [path: Uint8Array, leaf: Uint8Array] => {
      const said = [0xa0 + name.length, name];
      const path = hashOf('weft-mark-path-v1', 0, ...endOf(from), ...endOf(to), ...said);
      return [path, hashOf('weft-mark-v1', 0, path, fromHex(marking.id), index, ...said, encodeValue(value))];
    });
    const blocks = rootOf([blockOf(inserted, 0, 0, 5, RIGHT | AT_START, units('hello'))]);
    for (const asksBetween of [false, true]) {
      const graph = new Graph();
      const document = new Document(graph, StateHash);
      for (const one of addTo(graph, [inserted, marking])) {
        document.apply(one);
        if (asksBetween) expect(document.hash.root()).toMatch(/^[0-9a-f]{64}$/);
      }
      expect(document.hash.root()).toBe(toHex(rootOf([entryOf(TEXT, 't', 3, blocks, rootOf(marks))])));
    }
  });

  it('[SH1] is the same when it is computed in parts, whatever comes in between', () => {
    for (let parts = 0; parts < 16; parts++) {
      const graph = new Graph();
      const document = new Document(graph, StateHash);
      for (const one of addTo(graph, [first, second, third])) {
        document.apply(one);
        for (let part = 0; part < parts; part++) document.hash.advance(1);
      }
      if (parts === 15) expect(document.hash.advance(1)).toBe(false);
      expect(document.hash.root()).toBe(expected);
    }
  });

  it('[SH1] is pinned: another one for these nodes is another format', () => {
    expect(expected).toBe('1a6357e60604aee6098d50493b693fedcfa8541249046853747dc515c0ccbac9');
  });

  it('[SH1] names keys as nodes do, whatever their length', () => {
    const key = [REGISTER, 0xd9, 40, longKey];
    expect(pathOf('register', longKey)).toEqual(hashOf('weft-path-v1', 0, ...key));
    const value = encodeValue('v'.repeat(100));
    expect(registerLeaf(longKey, value)).toEqual(hashOf('weft-leaf-v1', 0, ...key, 0, value));
    expect(registerLeaf('b', new BlobRef(blob))).toEqual(entryOf(REGISTER, 'b', 1, fromHex(blob))[1]);
  });

  it('[SH1] of very many registers is the same at once and one by one', () => {
    const ops = Array.from({ length: 3000 }, (_, key): Op => {
      return { kind: 'set', key: `key ${key}`, value: encodeValue(key) };
    });
    const many = node(alice, ops);
    const removals = node(
      alice,
      ops.slice(0, 2000).map(({ key }): Op => ({ kind: 'delete', key })),
      many,
    );
    const hashes = [false, true].map((asked) => {
      const graph = new Graph();
      const document = new Document(graph, StateHash);
      for (const one of addTo(graph, [many, removals])) {
        document.apply(one);
        if (asked) document.hash.root();
      }
      return document.hash.root();
    });
    expect(hashes[1]).toBe(hashes[0]);
    const left = ops.slice(2000).map((op) => entryOf(REGISTER, op.key, 0, 'value' in op ? op.value : 0));
    expect(hashes[0]).toBe(toHex(rootOf(left)));
  });
});
