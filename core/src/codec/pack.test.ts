import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError, concatBytes, equalBytes, toHex, toUtf8 } from './bytes.js';
import { type NodeFields, compareIds, encodeNode } from './canonical-node.js';
import { encodeValue } from './msgpack.js';
import { sha256 } from './hash.js';
import { type Pack, type PackedNode, decodePack, encodePack, nodeId } from './pack.js';

const id = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const named = (fields: NodeFields): PackedNode => ({ ...fields, id: nodeId(fields) });

/** One node as a plan; numbers pick among what exists by then. */
const step = fc.record({
  room: fc.nat(2),
  author: fc.nat(4),
  prev: fc.option(fc.nat(), { freq: 3 }),
  parents: fc.array(fc.nat(), { maxLength: 5 }),
  outsiders: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
  wallMs: fc.option(fc.nat(2 ** 48), { nil: undefined }),
  ops: fc.array(
    fc.record({
      key: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      value: fc.option(fc.jsonValue({ maxDepth: 2 }).map(encodeValue), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  sealed: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Several rooms and authors, forks, chains that go on, parents in and out of the pack. */
const packs = fc.array(step, { maxLength: 30 }).map((steps): Pack => {
  const nodes: PackedNode[] = [];
  for (const one of steps) nodes.push(named(fieldsOf(one, nodes)));
  const seals = steps.flatMap(({ sealed }, index) =>
    sealed ? [{ index, signature: concatBytes([sha256(id(index)), id(index)]) }] : [],
  );
  return { nodes, seals };
});

function fieldsOf(one: Step, nodes: readonly PackedNode[]): NodeFields {
  const pick = (number: number): Uint8Array => nodes[number % nodes.length]?.id ?? id(200);
  const author = id(10 + one.author);
  const room = id(20 + one.room);
  const chain = nodes.filter((node) => equalBytes(node.author, author) && equalBytes(node.room, room));
  // Mostly the chain's latest node; else any node of the pack, or one from outside.
  const prev = one.prev === null ? undefined : ((one.prev % 3 > 0 ? chain.at(-1)?.id : undefined) ?? pick(one.prev));
  const chosen = [...one.parents.map(pick), ...one.outsiders.map(id)];
  const parents = new Map(
    chosen.filter((parent) => !prev || !equalBytes(parent, prev)).map((parent) => [toHex(parent), parent]),
  );
  return {
    room,
    author,
    ...(prev ? { prev } : {}),
    parents: [...parents.values()].sort(compareIds),
    ...(one.wallMs === undefined ? {} : { wallMs: one.wallMs }),
    ops: one.ops.map(({ key, value }) => (value === undefined ? { key } : { key, value })),
  };
}

const example: Pack = (() => {
  const first = named({
    room: id(1),
    author: id(2),
    parents: [id(7)],
    wallMs: 1_000_000,
    ops: [{ key: 'a', value: encodeValue('one') }],
  });
  const fork = named({
    room: id(1),
    author: id(3),
    parents: [first.id],
    ops: [{ key: 'a' }, { key: 'b', value: encodeValue([1, 2]) }],
  });
  const next = named({ room: id(1), author: id(2), prev: first.id, parents: [fork.id], wallMs: 999_000, ops: [] });
  return {
    nodes: [first, fork, next],
    seals: [
      { index: 1, signature: new Uint8Array(64).fill(5) },
      { index: 2, signature: new Uint8Array(64).fill(6) },
    ],
  };
})();
const large: Pack = {
  nodes: Array.from({ length: 60 }, (_, i) =>
    named({
      room: id(1),
      author: id(2),
      parents: [id(7)],
      ops: [{ key: `key/${i}`, value: encodeValue('again and again') }],
    }),
  ),
  seals: [],
};

describe('a pack', () => {
  it('[PK2] round trips any set of nodes', () => {
    fc.assert(
      fc.property(packs, (pack) => {
        expect(decodePack(encodePack(pack))).toEqual(pack);
      }),
      { numRuns: 300 },
    );
  });

  it('[ND1] gives nodes the hash of their canonical bytes as id', () => {
    fc.assert(
      fc.property(packs, (pack) => {
        for (const node of decodePack(encodePack(pack)).nodes)
          expect(equalBytes(node.id, sha256(encodeNode(node)))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('[PK2] names an id from outside once, and sends none from inside', () => {
    const bytes = toHex(encodePack(example));
    expect(bytes.split(toHex(id(7)))).toHaveLength(2);
    for (const node of example.nodes) expect(bytes).not.toContain(toHex(node.id));
  });

  it('[PK1] is deflated only when that is smaller and worth it', () => {
    const flags = (pack: Pack): number | undefined => encodePack(pack)[2];
    expect(flags(example)).toBe(0);
    expect(flags(large)).toBe(1);
    const noise = Uint8Array.from({ length: 2000 }, (_, i) => sha256(toUtf8(String(i)))[0] ?? 0);
    const random = named({
      room: sha256(id(1)),
      author: sha256(id(2)),
      parents: [],
      ops: [{ key: 'k', value: encodeValue(noise) }],
    });
    expect(flags({ nodes: [random], seals: [] })).toBe(0);
    expect(decodePack(encodePack(large))).toEqual(large);
  });

  it.each([
    ['plain', encodePack(example)],
    ['deflated', encodePack(large)],
    ['empty', encodePack({ nodes: [], seals: [] })],
  ])('[PK4] notices any changed byte when %s', (_, bytes) => {
    for (let at = 0; at < bytes.length; at++) {
      for (const change of at < 80 ? Array.from({ length: 255 }, (__, i) => i + 1) : [1, 0x80, 0xff]) {
        const changed = bytes.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(() => decodePack(changed)).toThrow(DecodeError);
      }
    }
  });

  it.each([
    ['plain', encodePack(example)],
    ['deflated', encodePack(large)],
  ])('[PK4] notices every cut and every added byte when %s', (_, bytes) => {
    for (let cut = 0; cut < bytes.length; cut++) expect(() => decodePack(bytes.subarray(0, cut))).toThrow(DecodeError);
    for (let byte = 0; byte < 256; byte++) {
      expect(() => decodePack(concatBytes([bytes, Uint8Array.of(byte)]))).toThrow(DecodeError);
      expect(() => decodePack(concatBytes([Uint8Array.of(byte), bytes]))).toThrow(DecodeError);
    }
  });

  it('[PK3] decodes from a slice of a larger buffer, and leaves it as it was', () => {
    const bytes = encodePack(example);
    const padded = concatBytes([id(9), bytes, id(9)]);
    const before = padded.slice();
    expect(decodePack(padded.subarray(32, 32 + bytes.length))).toEqual(example);
    expect(equalBytes(padded, before)).toBe(true);
  });
});
