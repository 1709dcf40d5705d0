import { decode } from '@msgpack/msgpack';
import { describe, expect, it } from 'vitest';
import { DecodeError, concatBytes } from '../bytes/bytes.js';
import { encodeValue } from '../bytes/msgpack.js';
import { decodePack, encodePack } from '../packs/plain-pack.js';
import { type NodeFields, type PackedNode, addNodes } from '../packs/packed-node.js';
import { elementsIn } from '../testing/elements-of.js';
import { decodeNode, encodeNode, nodeId } from '../testing/nodes.js';
import type { ElementRef, Op } from './op.js';

const id = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const key = 'k';
const start = { ref: null, side: 'right' } as const;
const beside = (ref: ElementRef, side: 'left' | 'right' = 'right') => ({ ref, side });
const foreign: ElementRef = { node: id(9), offset: 300 };
const deep = Array.from({ length: 62 }).reduce<unknown>((inner) => [inner], 'deep');

/** First bytes of MessagePack items of every kind, and some that are none. */
const HEADS = [
  0, 1, 2, 9, 10, 11, 31, 32, 97, 127, 128, 129, 144, 145, 146, 148, 160, 161, 163, 192, 193, 194, 196, 197, 202, 204,
  205, 206, 207, 217, 220, 221, 255,
];

const base: NodeFields = { room: id(1), author: id(2), parents: [], ops: [] };
/** A node up to its only op. */
const HEAD = concatBytes([id(1), id(2), id(0), Uint8Array.of(1, 0x90, 0xc0, 0x91)]);
const written = (op: Op): Uint8Array => encodeNode({ ...base, ops: [op] }).subarray(HEAD.length);
function read(bytes: Uint8Array): Op {
  const { ops, ...fields } = decodeNode(concatBytes([HEAD, bytes]));
  expect([{ ...fields, ops: [] }, ops.length]).toEqual([base, 1]);
  return ops[0] as Op;
}

/** Each op, and what a MessagePack library reads in its bytes. */
const OPS: readonly [Op, unknown][] = [
  [{ kind: 'set', key, value: encodeValue({ a: [1] }) }, [0, 'k', { a: [1] }]],
  [{ kind: 'delete', key: 'é' }, [1, 'é']],
  [{ kind: 'text-insert', key, anchor: start, text: 'a' }, [2, 'k', null, 'a']],
  [{ kind: 'text-insert', key, anchor: beside(0), text: 'b' }, [2, 'k', 0, 'b']],
  [{ kind: 'text-insert', key, anchor: beside(2 ** 30, 'left'), text: '😀\n' }, [3, 'k', 2 ** 30, '😀\n']],
  [{ kind: 'text-insert', key, anchor: beside(foreign), text: 'c' }, [2, 'k', [id(9), 300], 'c']],
  [{ kind: 'text-delete', key, last: 7, count: 1 }, [4, 'k', 7, 1]],
  [{ kind: 'text-delete', key, last: foreign, count: 2 ** 30 }, [4, 'k', [id(9), 300], 2 ** 30]],
  [{ kind: 'list-insert', key, anchor: start, values: [encodeValue(1)] }, [5, 'k', null, 1]],
  [
    { kind: 'list-insert', key, anchor: beside(foreign, 'left'), values: [1, [2], deep].map(encodeValue) },
    [6, 'k', [id(9), 300], 1, [2], deep],
  ],
  [{ kind: 'list-delete', key, last: 0, count: 3 }, [7, 'k', 0, 3]],
  [{ kind: 'list-move', key, item: 1, anchor: start }, [8, 'k', 1, null]],
  [{ kind: 'list-move', key, item: foreign, anchor: beside(500) }, [8, 'k', [id(9), 300], 500]],
  [{ kind: 'list-move', key, item: 128, anchor: beside(foreign, 'left') }, [9, 'k', 128, [id(9), 300]]],
  [{ kind: 'set-blob', key, hash: id(3) }, [10, 'k', id(3)]],
  [
    { kind: 'text-mark', key, from: beside(3, 'left'), to: beside(foreign), name: 'link', value: encodeValue('a:b') },
    [11, 'k', 3, [id(9), 300], 2, 'link', 'a:b'],
  ],
  [
    { kind: 'text-mark', key, from: start, to: { ref: null, side: 'left' }, name: 'é', value: encodeValue(null) },
    [11, 'k', null, null, 1, 'é', null],
  ],
];

describe('an op', () => {
  it.each(OPS)('[ND6] is an array that any MessagePack library reads: %j', (op, array) => {
    const bytes = written(op);
    expect(decode(bytes)).toEqual(array);
    expect(read(bytes)).toEqual(op);
    expect(written(read(bytes))).toEqual(bytes);
  });

  it('[ND7] counts one element per UTF-16 code unit, per item, and one for the new place of a move', () => {
    const table = addNodes([{ ...base, id: id(1), counter: 0, ops: OPS.map(([op]) => op) }]);
    expect(OPS.map((_, op) => table.elements(op))).toEqual([0, 0, 1, 1, 3, 1, 0, 0, 1, 3, 0, 1, 1, 1, 0, 0, 0]);
    expect(table.elementsOf(0)).toBe(13);
  });

  it('[ND6] has one form: whatever bytes are read are written back the same', () => {
    let taken = 0;
    for (const [op] of OPS) {
      const bytes = written(op);
      for (let at = 0; at < bytes.length; at++) {
        for (const byte of HEADS) {
          const changed = bytes.slice();
          changed[at] = byte;
          const found = attempt(changed);
          if (!found) continue;
          taken++;
          expect(written(found)).toEqual(changed);
        }
      }
    }
    expect(taken).toBeGreaterThan(2000);
  });

  it('[ND6] is refused when it is cut, or when anything follows', () => {
    for (const [op] of OPS) {
      const bytes = written(op);
      for (let cut = 0; cut < bytes.length; cut++) expect(() => read(bytes.subarray(0, cut))).toThrow(DecodeError);
      expect(() => read(concatBytes([bytes, Uint8Array.of(0xc0)]))).toThrow(DecodeError);
    }
  });

  const K = [0xa1, 0x6b];
  const HASH = [0xc4, 32, ...id(9)];
  it.each<[string, number[]]>([
    ['no array', [0x02, ...K]],
    ['an empty array', [0x90]],
    ['a kind alone', [0x91, 1]],
    ['an unknown kind', [0x92, 12, ...K]],
    ['a kind that is not in its shortest form', [0x92, 0xcc, 1, ...K]],
    ['an array that is not in its shortest form', [0xdc, 0, 2, 1, ...K]],
    ['a key of bytes', [0x92, 1, 0xc4, 1, 0x6b]],
    ['a nil key', [0x92, 1, 0xc0]],
    ['a set without value', [0x92, 0, ...K]],
    ['a set of two values', [0x94, 0, ...K, 1, 2]],
    ['a delete of a value', [0x93, 1, ...K, 1]],
    ['text without a place', [0x93, 2, ...K, 0xa1, 0x61]],
    ['text beside a negative element', [0x94, 2, ...K, 0xff, 0xa1, 0x61]],
    ['text beside a float', [0x94, 2, ...K, 0xca, 0, 0, 0, 0, 0xa1, 0x61]],
    ['text beside an element that is not in its shortest form', [0x94, 2, ...K, 0xcc, 5, 0xa1, 0x61]],
    ['text beside an element beyond 2^53', [0x94, 2, ...K, 0xcf, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xa1, 0x61]],
    ['text beside an element of three parts', [0x94, 2, ...K, 0x93, ...HASH, 0, 0, 0xa1, 0x61]],
    ['text beside an element of one part', [0x94, 2, ...K, 0x91, ...HASH, 0xa1, 0x61]],
    ['text beside an element of a short node', [0x94, 2, ...K, 0x92, 0xc4, 1, 9, 0, 0xa1, 0x61]],
    ['text beside a long array', [0x94, 2, ...K, 0xdc, 0, 2, ...HASH, 0, 0xa1, 0x61]],
    ['text beside an element without offset', [0x94, 2, ...K, 0x92, ...HASH, 0xc0, 0xa1, 0x61]],
    ['text of bytes', [0x94, 2, ...K, 0, 0xc4, 1, 0x61]],
    ['no text', [0x94, 2, ...K, 0, 0xa0]],
    ['two texts', [0x95, 2, ...K, 0, 0xa1, 0x61, 0xa1, 0x61]],
    ['text that is not UTF-8', [0x94, 2, ...K, 0, 0xa1, 0xff]],
    ['text with half of a pair', [0x94, 2, ...K, 0, 0xa3, 0xed, 0xa0, 0xbd]],
    ['text whose length is not in its shortest form', [0x94, 2, ...K, 0, 0xd9, 1, 0x61]],
    ['text left of the start', [0x94, 3, ...K, 0xc0, 0xa1, 0x61]],
    ['a mark without value', [0x96, 11, ...K, 0, 1, 0, 0xa1, 0x62]],
    ['a mark of two values', [0x98, 11, ...K, 0, 1, 0, 0xa1, 0x62, 1, 2]],
    ['a mark with a fifth pair of sides', [0x97, 11, ...K, 0, 1, 4, 0xa1, 0x62, 1]],
    ['a mark that begins before the start', [0x97, 11, ...K, 0xc0, 1, 2, 0xa1, 0x62, 1]],
    ['a mark that ends behind the end', [0x97, 11, ...K, 0, 0xc0, 2, 0xa1, 0x62, 1]],
    ['a mark without name', [0x97, 11, ...K, 0, 1, 0, 0xa0, 1]],
    ['a mark with a name of 257 bytes', [0x97, 11, ...K, 0, 1, 0, 0xda, 1, 1, ...Array<number>(257).fill(0x62), 1]],
    ['a mark whose name is none', [0x97, 11, ...K, 0, 1, 0, 7, 1]],
    [
      'a mark whose value exceeds 16 KiB',
      [0x97, 11, ...K, 0, 1, 0, 0xa1, 0x62, 0xc5, 0x40, 0, ...Array<number>(0x4000).fill(0)],
    ],
    ['a deletion without count', [0x93, 4, ...K, 0]],
    ['a deletion from the start', [0x94, 4, ...K, 0xc0, 1]],
    ['a deletion of nothing', [0x94, 4, ...K, 0, 0]],
    ['a deletion of less than nothing', [0x94, 4, ...K, 0, 0xff]],
    ['a deletion of nil', [0x94, 4, ...K, 0, 0xc0]],
    ['a deletion beyond 2^53', [0x94, 4, ...K, 0, 0xcf, 0, 0x20, 0, 0, 0, 0, 0, 0]],
    ['a deletion of two counts', [0x95, 4, ...K, 0, 1, 1]],
    ['items without a place', [0x92, 5, ...K]],
    ['no items', [0x93, 5, ...K, 0xc0]],
    ['fewer items than it says', [0x95, 5, ...K, 0xc0, 1]],
    ['an item that is not MessagePack', [0x94, 5, ...K, 0xc0, 0xc1]],
    ['an item nested 65 deep', [0x94, 5, ...K, 0xc0, ...Array.from({ length: 65 }, () => 0x91), 1]],
    ['items left of the start', [0x94, 6, ...K, 0xc0, 1]],
    ['a deletion of no items', [0x94, 7, ...K, 0, 0]],
    ['a deletion of items from the start', [0x94, 7, ...K, 0xc0, 1]],
    ['a move without a place', [0x93, 8, ...K, 0]],
    ['a move of the start', [0x94, 8, ...K, 0xc0, 0]],
    ['a move to two places', [0x95, 8, ...K, 0, 0, 0]],
    ['a move left of the start', [0x94, 9, ...K, 0, 0xc0]],
    ['a blob without hash', [0x92, 10, ...K]],
    ['a blob of 31 bytes', [0x93, 10, ...K, 0xc4, 31, ...id(9).subarray(1)]],
    ['a blob of 33 bytes', [0x93, 10, ...K, 0xc4, 33, 9, ...id(9)]],
    ['a blob named in text', [0x93, 10, ...K, 0xd9, 32, ...id(0x61)]],
    ['a blob whose length is not in its shortest form', [0x93, 10, ...K, 0xc5, 0, 32, ...id(9)]],
    ['two blobs', [0x94, 10, ...K, ...HASH, ...HASH]],
  ])('[ND7] refuses %s', (_, bytes) => {
    expect(() => read(Uint8Array.from(bytes))).toThrow(DecodeError);
  });

  it('[ND7] is refused in a node, whoever made it, when it breaks a rule by itself', () => {
    for (const op of [
      { kind: 'text-insert', key, anchor: beside(0), text: '' },
      { kind: 'text-insert', key, anchor: beside(0), text: 'a\ud83d' },
      { kind: 'text-insert', key, anchor: { ref: null, side: 'left' }, text: 'a' },
      { kind: 'text-delete', key, last: 0, count: 0 },
      { kind: 'text-delete', key, last: 0, count: -1 },
      { kind: 'list-insert', key, anchor: beside(0), values: [] },
      { kind: 'set-blob', key, hash: new Uint8Array(31) },
    ] satisfies Op[]) {
      expect(() => nodeId({ ...base, ops: [op] }), JSON.stringify(op)).toThrow(DecodeError);
    }
  });
});

function attempt(bytes: Uint8Array): Op | undefined {
  try {
    return read(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
    return undefined;
  }
}

/** One chain, a node per list of ops. */
function chainOf(counter: number, ...nodes: readonly (readonly Op[])[]): PackedNode[] {
  const chain: PackedNode[] = [];
  for (const ops of nodes) {
    const before = chain.at(-1);
    const fields = { ...base, prev: before?.id ?? id(7), ops };
    const inserted = before ? before.counter + elementsIn(before.ops) : counter;
    chain.push({ ...fields, id: nodeId(fields), counter: inserted });
  }
  return chain;
}

const packed = (nodes: readonly PackedNode[]): Uint8Array =>
  encodePack({ nodes, seals: [{ index: nodes.length - 1, signature: new Uint8Array(64).fill(0xa5) }] });

describe('ops in a pack', () => {
  it.each([0, 1, 61, 62, 63, 122, 123, 124, 125, 126, 127, 128, 10_000])(
    '[PK2] name elements %i away in both directions',
    (distance) => {
      const ops: Op[] = [];
      for (const ref of [50_000 + distance, 50_000 - distance]) {
        ops.push(
          { kind: 'text-delete', key, last: ref, count: 1 },
          { kind: 'list-move', key, item: ref, anchor: beside(ref) },
        );
        ops.push({ kind: 'text-insert', key, anchor: beside(ref, 'left'), text: 'ab' });
      }
      const nodes = chainOf(50_001, ops, ops);
      expect(decodePack(packed(nodes)).nodes).toEqual(nodes);
    },
  );

  it.each([
    ['backwards', -1],
    ['forwards', 1],
  ])('[PK2] cost nothing to delete on %s, one by one', (_, step) => {
    const one = (last: number): Op => ({ kind: 'text-delete', key, last, count: 1 });
    const inOrder = Array.from({ length: 400 }, (_, i) => [one(500 + step * i)]);
    const scattered = inOrder.map((_, i) => [one((i * i * i * 7) % 900)]);
    const sizes = [inOrder, scattered].map((ops) => {
      const nodes = chainOf(1000, ...ops);
      expect(decodePack(packed(nodes)).nodes).toEqual(nodes);
      return packed(nodes).length;
    });
    expect(sizes[0]).toBeLessThan(300);
    expect(sizes[1]).toBeGreaterThan(500);
  });

  it('[PK2] cost less than a byte each where an author types on: 1,000 characters and their seal', () => {
    const english =
      'the quick brown fox jumps over the lazy dog while it rains in the hills of the north, and nobody minds. ';
    const text = english.repeat(10).slice(0, 1000);
    const nodes = chainOf(
      0,
      ...[...text].map((unit, i): Op[] => [
        { kind: 'text-insert', key: 'notes/today', anchor: i === 0 ? start : beside(i - 1), text: unit },
      ]),
    );
    expect(decodePack(packed(nodes)).nodes).toEqual(nodes);
    expect(packed(nodes).length).toBeLessThan(1000);
  });

  it('[PK2] cost about a byte each where the text repeats nothing', () => {
    let state = 1;
    const units = Array.from({ length: 1000 }, () => {
      state = (state * 48_271) % 0x7fffffff;
      return String.fromCharCode(97 + (state % 26));
    });
    const nodes = chainOf(
      0,
      ...units.map((text, i): Op[] => [{ kind: 'text-insert', key, anchor: i === 0 ? start : beside(i - 1), text }]),
    );
    expect(decodePack(packed(nodes)).nodes).toEqual(nodes);
    expect(packed(nodes).length).toBeLessThan(1000);
  });

  it('[ND7] name any element that a node may name, or the node is refused', () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const last of [2 ** 30, 2 ** 31 - 2, 2 ** 31, 2 ** 48, 2 ** 52, most - 1, most]) {
      for (const op of [
        { kind: 'text-delete', key, last, count: 1 },
        { kind: 'text-delete', key, last: { node: id(9), offset: last }, count: last },
        { kind: 'list-move', key, item: last, anchor: beside(0) },
        { kind: 'text-insert', key, anchor: beside(last), text: 'a' },
      ] satisfies Op[]) {
        let nodes: PackedNode[];
        try {
          // Near each other, and each by itself: what can be read in one pack must not be unreadable in the next.
          nodes = chainOf(0, [op], [op]);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
          continue;
        }
        for (const part of [nodes, nodes.slice(1)]) expect(decodePack(packed(part)).nodes).toEqual(part);
        for (const { id: _, counter: __, ...fields } of nodes) expect(decodeNode(encodeNode(fields))).toEqual(fields);
      }
    }
  });
});
