import { decode, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError, concatBytes, equalBytes, toHex } from '../bytes/bytes.js';
import { decodeValue, encodeValue } from '../bytes/msgpack.js';
import type { NodeFields } from '../packs/packed-node.js';
import { compareIdBytes, decodeNode, encodeNode, nodeId } from '../testing/nodes.js';
import { NODE_BOUNDS } from './canonical-node.js';
import type { Op } from './op.js';

const id = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const set = (key: string, content: unknown = 1): Op => ({ kind: 'set', key, value: encodeValue(content) });
const base: NodeFields = { room: id(1), author: id(2), parents: [], ops: [set('k')] };

const ids = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes.some((byte) => byte !== 0));
const op: fc.Arbitrary<Op> = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), fc.option(fc.jsonValue(), { nil: undefined }))
  .map(([key, content]) => (content === undefined ? { kind: 'delete', key } : set(key, content)));
const node: fc.Arbitrary<NodeFields> = fc
  .record({
    room: ids,
    author: ids,
    prev: fc.option(ids, { nil: undefined }),
    parents: fc.uniqueArray(ids, { maxLength: 20, selector: toHex }),
    wallMs: fc.option(fc.nat(NODE_BOUNDS.wallMs), { nil: undefined }),
    ops: fc.array(op, { minLength: 1, maxLength: 20 }),
  })
  .map(({ prev, wallMs, parents, ...rest }) => ({
    ...rest,
    parents: parents.filter((parent) => !prev || compareIdBytes(prev, parent) !== 0).sort(compareIdBytes),
    ...(prev ? { prev } : {}),
    ...(wallMs === undefined ? {} : { wallMs }),
  }));

/** The canonical bytes of sets and deletes as a MessagePack library makes them, which knows no rule of a node. */
function written({ room, author, prev = id(0), parents, wallMs, ops }: NodeFields): Uint8Array {
  const arrays = ops.map((one) => (one.kind === 'set' ? [0, one.key, decodeValue(one.value)] : [1, one.key]));
  return concatBytes([room, author, prev, ...[1, parents, wallMs ?? null, arrays].map((part) => encode(part))]);
}

/** The fixed part of a node, then any MessagePack that a test likes. */
const raw = (...rest: number[]): Uint8Array => concatBytes([id(1), id(2), id(0), Uint8Array.from(rest)]);
/** One op that sets `a` to 1. */
const ONE_OP = [0x91, 0x93, 0x00, 0xa1, 0x61, 0x01];

describe('the canonical form', () => {
  it('[ND1] round trips every node', () => {
    fc.assert(
      fc.property(node, (fields) => {
        const bytes = encodeNode(fields);
        const read = decodeNode(bytes);
        expect({ ...read, ops: read.ops.map((one) => ({ ...one })) }).toEqual(fields);
        expect(equalBytes(encodeNode(read), bytes)).toBe(true);
      }),
    );
  });

  it('[ND1] has room, author and prev in front, and MessagePack behind them that any library reads', () => {
    const fields: NodeFields = {
      ...base,
      prev: id(3),
      parents: [id(4), id(5)],
      wallMs: 1_700_000_000_000,
      ops: [set('k', [1]), { kind: 'delete', key: 'x' }],
    };
    const bytes = encodeNode(fields);
    expect(toHex(bytes.subarray(0, 96))).toBe('01'.repeat(32) + '02'.repeat(32) + '03'.repeat(32));
    const rest = concatBytes([Uint8Array.of(0x94), bytes.subarray(96)]);
    expect(decode(rest)).toEqual([
      1,
      [id(4), id(5)],
      1_700_000_000_000,
      [
        [0, 'k', [1]],
        [1, 'x'],
      ],
    ]);
  });

  it('[ND1] gives another id for any other node', () => {
    const nodes: NodeFields[] = [
      base,
      { ...base, room: id(9) },
      { ...base, author: id(9) },
      { ...base, prev: id(9) },
      { ...base, parents: [id(9)] },
      { ...base, wallMs: 0 },
      { ...base, ops: [set('l')] },
      { ...base, ops: [set('k', 2)] },
      { ...base, ops: [{ kind: 'delete', key: 'k' }] },
      { ...base, ops: [set('k'), set('k')] },
    ];
    expect(new Set(nodes.map((one) => toHex(nodeId(one)))).size).toBe(nodes.length);
  });

  it('[ND1] is the only one: whatever bytes are read are written back the same [fault 16]', () => {
    const example = encodeNode({
      ...base,
      prev: id(3),
      parents: [id(4)],
      wallMs: 300,
      ops: [set('k', 'v'), { kind: 'delete', key: 'x' }],
    });
    let read = 0;
    for (let at = 96; at < example.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const changed = example.slice();
        changed[at] = byte;
        try {
          expect(equalBytes(encodeNode(decodeNode(changed)), changed)).toBe(true);
          read++;
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }
    }
    expect(read).toBeGreaterThan(example.length - 96);
  });

  it.each([
    ['a long version', raw(0xcc, 1, 0x90, 0xc0, ...ONE_OP)],
    ['another version', raw(2, 0x90, 0xc0, ...ONE_OP)],
    ['a long count of parents', raw(1, 0xdc, 0, 0, 0xc0, ...ONE_OP)],
    ['a long clock', raw(1, 0x90, 0xcd, 0, 5, ...ONE_OP)],
    ['a negative clock', raw(1, 0x90, 0xff, ...ONE_OP)],
    ['a long count of ops', raw(1, 0x90, 0xc0, 0xdc, 0, 1, 0x93, 0, 0xa1, 0x61, 1)],
    ['an op of another kind', raw(1, 0x90, 0xc0, 0x91, 0x93, 12, 0xa1, 0x61, 1)],
    ['a set without value', raw(1, 0x90, 0xc0, 0x91, 0x92, 0, 0xa1, 0x61)],
    ['a delete with value', raw(1, 0x90, 0xc0, 0x91, 0x93, 1, 0xa1, 0x61, 1)],
    ['a long key head', raw(1, 0x90, 0xc0, 0x91, 0x93, 0, 0xd9, 1, 0x61, 1)],
    ['a key of bytes', raw(1, 0x90, 0xc0, 0x91, 0x93, 0, 0xc4, 1, 0x61, 1)],
    ['trailing bytes', raw(1, 0x90, 0xc0, ...ONE_OP, 0)],
    ['a short parent', raw(1, 0x91, 0xc4, 1, 7, 0xc0, ...ONE_OP)],
    ['a head only', raw()],
  ])('[ND1] refuses %s', (_, bytes) => {
    expect(() => decodeNode(bytes)).toThrow(DecodeError);
  });

  it('[ND1] reads the unchanged example of the refusals above', () => {
    expect(decodeNode(raw(1, 0x90, 0xc0, ...ONE_OP)).ops).toEqual([{ kind: 'set', key: 'a', value: Uint8Array.of(1) }]);
  });

  it('[ND1] refuses every cut', () => {
    const bytes = encodeNode({ ...base, parents: [id(3)], wallMs: 7 });
    for (let cut = 0; cut < bytes.length; cut++) expect(() => decodeNode(bytes.subarray(0, cut))).toThrow(DecodeError);
  });
});

describe('the rules of a node by itself', () => {
  it.each<[string, NodeFields]>([
    ['unsorted parents', { ...base, parents: [id(4), id(3)] }],
    ['a repeated parent', { ...base, parents: [id(4), id(4)] }],
    ['prev among the parents', { ...base, prev: id(4), parents: [id(4)] }],
    ['neither ops nor parents', { ...base, ops: [] }],
    ['no ops and one parent', { ...base, ops: [], parents: [id(4)] }],
    ['no ops and only prev', { ...base, ops: [], prev: id(4) }],
  ])('[ND2] refuses %s', (_, fields) => {
    expect(() => nodeId(fields)).toThrow(DecodeError);
    expect(() => encodeNode(fields)).toThrow(DecodeError);
    expect(() => decodeNode(written(fields))).toThrow(DecodeError);
  });

  it('[ND2] takes a node without ops that joins two nodes', () => {
    for (const fields of [
      { ...base, ops: [], prev: id(3), parents: [id(4)] },
      { ...base, ops: [], parents: [id(3), id(4)] },
    ]) {
      expect(() => nodeId(fields)).not.toThrow();
      expect(decodeNode(written(fields))).toEqual(fields);
    }
  });

  const parents = (count: number): Uint8Array[] =>
    Array.from({ length: count }, (_, i) => concatBytes([Uint8Array.of(1 + (i >> 8), i & 0xff), new Uint8Array(30)]));

  it.each<[string, NodeFields, NodeFields]>([
    ['256 parents', { ...base, parents: parents(256) }, { ...base, parents: parents(257) }],
    [
      '65,536 ops',
      { ...base, ops: Array.from({ length: 65_536 }, () => ({ kind: 'delete', key: 'k' })) },
      { ...base, ops: Array.from({ length: 65_537 }, () => ({ kind: 'delete', key: 'k' })) },
    ],
    ['a key of 4,096 bytes', { ...base, ops: [set('k'.repeat(4096))] }, { ...base, ops: [set('k'.repeat(4097))] }],
    [
      'a key of 4,096 bytes in fewer characters',
      { ...base, ops: [set('é'.repeat(2048))] },
      { ...base, ops: [set('é'.repeat(2049))] },
    ],
    ['a key of one character', { ...base, ops: [set('k')] }, { ...base, ops: [set('')] }],
    ['a clock of 2^48', { ...base, wallMs: 2 ** 48 }, { ...base, wallMs: 2 ** 48 + 1 }],
  ])('[ND5] takes %s and nothing beyond', (_, most, beyond) => {
    expect(equalBytes(encodeNode(most), written(most))).toBe(true);
    expect(decodeNode(written(most)).ops).toHaveLength(most.ops.length);
    expect(() => nodeId(most)).not.toThrow();
    expect(() => nodeId(beyond)).toThrow(DecodeError);
    expect(() => encodeNode(beyond)).toThrow(DecodeError);
    expect(() => decodeNode(written(beyond))).toThrow(DecodeError);
  });

  it('[ND5] takes a node of 1 MiB and not one of a byte more', () => {
    const overhead = encodeNode({ ...base, ops: [set('k', new Uint8Array(70_000))] }).length - 70_000;
    const sized = (length: number): NodeFields => ({ ...base, ops: [set('k', new Uint8Array(length - overhead))] });
    expect(encodeNode(sized(NODE_BOUNDS.bytes))).toHaveLength(NODE_BOUNDS.bytes);
    expect(() => nodeId(sized(NODE_BOUNDS.bytes))).not.toThrow();
    expect(() => decodeNode(written(sized(NODE_BOUNDS.bytes)))).not.toThrow();
    expect(() => nodeId(sized(NODE_BOUNDS.bytes + 1))).toThrow(DecodeError);
    expect(() => decodeNode(written(sized(NODE_BOUNDS.bytes + 1)))).toThrow(DecodeError);
  });

  it('[ND5] refuses a key with a lone surrogate', () => {
    expect(() => nodeId({ ...base, ops: [set('a\ud800')] })).toThrow(DecodeError);
  });
});
