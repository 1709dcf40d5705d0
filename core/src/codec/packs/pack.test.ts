import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError, concatBytes, equalBytes, toHex, toUtf8 } from '../bytes/bytes.js';
import { sha256 } from '../bytes/hash.js';
import { encodeValue } from '../bytes/msgpack.js';
import type { Anchor, ElementRef, Op } from '../nodes/op.js';
import { LAST_CHARACTER, characterAt } from '../testing/characters.js';
import { elementsIn } from '../testing/elements-of.js';
import { compareIdBytes, decodeNode, encodeNode, nodeId } from '../testing/nodes.js';
import { type Pack, decodePack, encodePack } from './plain-pack.js';
import type { NodeFields, PackedNode } from './packed-node.js';

const id = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const named = (fields: NodeFields, counter = 0): PackedNode => ({ ...fields, id: nodeId(fields), counter });
const set = (key: string, content: unknown): Op => ({ kind: 'set', key, value: encodeValue(content) });

/** An element as a plan: of the own chain near its end or anywhere, or of another node, in the pack or outside it. */
const element = fc.oneof(
  fc.record({ back: fc.nat(3) }),
  fc.record({ back: fc.nat(400) }),
  fc.record({ counter: fc.nat(2 ** 30) }),
  fc.record({ node: fc.nat(), offset: fc.oneof(fc.nat(5), fc.nat(2 ** 30)) }),
  fc.record({ outsider: fc.integer({ min: 1, max: 6 }), offset: fc.nat(5) }),
);
const anchor = fc.record({ element: fc.option(element, { freq: 4 }), side: fc.constantFrom('left', 'right') });
const value = fc.jsonValue({ maxDepth: 2 }).map(encodeValue);
const count = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 30 }));
const character = fc.nat(LAST_CHARACTER).map(characterAt);
const content = fc.oneof(
  fc.record({ kind: fc.constantFrom('set'), value }),
  fc.record({ kind: fc.constantFrom('delete') }),
  fc.record({ kind: fc.constantFrom('set-blob'), hash: fc.uint8Array({ minLength: 32, maxLength: 32 }) }),
  fc.record({
    kind: fc.constantFrom('text-insert'),
    anchor,
    text: fc.string({ unit: character, minLength: 1, maxLength: 6 }),
  }),
  fc.record({ kind: fc.constantFrom('text-delete', 'list-delete'), last: element, count }),
  fc.record({
    kind: fc.constantFrom('list-insert'),
    anchor,
    values: fc.array(value, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constantFrom('list-move'), item: element, anchor }),
);
const key = fc.oneof(fc.constantFrom('a', 'b'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }));

/** One node as a plan; numbers pick among what exists by then. */
const step = fc.record({
  room: fc.nat(2),
  author: fc.nat(4),
  prev: fc.option(fc.nat(), { freq: 3 }),
  parents: fc.array(fc.nat(), { maxLength: 5 }),
  outsiders: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
  wallMs: fc.option(fc.nat(2 ** 48), { nil: undefined }),
  counter: fc.oneof(fc.constant(0), fc.nat(2 ** 30)),
  ops: fc.array(fc.tuple(key, content), { minLength: 1, maxLength: 4 }),
  sealed: fc.boolean(),
});
type Generated<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Step = Generated<typeof step>;
type Plan = Generated<typeof element>;
type Place = Generated<typeof anchor>;

/** Several rooms and authors, forks, chains that go on, parents in and out of the pack. */
const packs = fc.array(step, { maxLength: 30 }).map((steps): Pack => {
  const nodes: PackedNode[] = [];
  for (const one of steps) nodes.push(planned(one, nodes));
  const seals = steps.flatMap(({ sealed }, index) =>
    sealed ? [{ index, signature: concatBytes([sha256(id(index)), id(index)]) }] : [],
  );
  return { nodes, seals };
});

function planned(one: Step, nodes: readonly PackedNode[]): PackedNode {
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
  const before = prev && chain.find((node) => equalBytes(node.id, prev));
  const counter = before ? before.counter + elementsIn(before.ops) : one.counter;
  const ops: Op[] = [];
  for (const [key, planned] of one.ops) ops.push(opOf(key, planned, nodes, counter + elementsIn(ops)));
  const fields = {
    room,
    author,
    ...(prev ? { prev } : {}),
    parents: [...parents.values()].sort(compareIdBytes),
    ...(one.wallMs === undefined ? {} : { wallMs: one.wallMs }),
    ops,
  };
  return named(fields, counter);
}

function opOf(key: string, planned: Step['ops'][number][1], nodes: readonly PackedNode[], counter: number): Op {
  const ref = (plan: Plan): ElementRef => {
    if ('back' in plan) return Math.max(0, counter - plan.back);
    if ('counter' in plan) return plan.counter;
    if ('outsider' in plan) return { node: id(plan.outsider), offset: plan.offset };
    return { node: nodes[plan.node % nodes.length]?.id ?? id(200), offset: plan.offset };
  };
  const beside = ({ element, side }: Place): Anchor =>
    element === null ? { ref: null, side: 'right' } : { ref: ref(element), side };
  if ('last' in planned) return { ...planned, key, last: ref(planned.last) };
  if ('item' in planned) return { kind: planned.kind, key, item: ref(planned.item), anchor: beside(planned.anchor) };
  if ('anchor' in planned) return { ...planned, key, anchor: beside(planned.anchor) };
  return { ...planned, key };
}

const example: Pack = (() => {
  const first = named({
    room: id(1),
    author: id(2),
    parents: [id(7)],
    wallMs: 1_000_000,
    ops: [set('a', 'one')],
  });
  const fork = named({
    room: id(1),
    author: id(3),
    parents: [first.id],
    ops: [{ kind: 'delete', key: 'a' }, set('b', [1, 2])],
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
      ops: [set(`key/${i}`, 'again and again')],
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
      { numRuns: 150 },
    );
  });

  it('[ND1] gives nodes the hash of their canonical bytes as id', () => {
    fc.assert(
      fc.property(packs, (pack) => {
        for (const node of decodePack(encodePack(pack)).nodes)
          expect(equalBytes(node.id, sha256(encodeNode(node)))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('[ND6] holds ops of every kind, whose canonical bytes are read back the same', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(packs, ({ nodes }) => {
        for (const { id: _, counter: __, ...fields } of nodes) {
          expect(decodeNode(encodeNode(fields))).toEqual(fields);
          for (const { kind } of fields.ops) kinds.add(kind);
        }
      }),
      { numRuns: 100 },
    );
    expect(kinds.size).toBe(8);
  });

  it('[PK2] can be cut anywhere: what was read is written again, whatever stays outside', () => {
    fc.assert(
      fc.property(packs, fc.nat(), fc.nat(), ({ nodes }, from, to) => {
        const read = decodePack(encodePack({ nodes, seals: [] })).nodes;
        const part = read.slice(from % (nodes.length + 1), 1 + (to % (nodes.length + 1)));
        expect(decodePack(encodePack({ nodes: part, seals: [] })).nodes).toEqual(part);
      }),
      { numRuns: 100 },
    );
  });

  it('[PK2] names an id from outside once, and sends none from inside', () => {
    const bytes = toHex(encodePack(example));
    expect(bytes.split(toHex(id(7)))).toHaveLength(2);
    for (const node of example.nodes) expect(bytes).not.toContain(toHex(node.id));
  });

  it('[PK2] says once who has written a chain, from its first node on', () => {
    const fields = { room: id(1), author: id(2), parents: [], ops: [set('k', Uint8Array.of(1))] };
    const first = named(fields);
    const lengthWith = (second: NodeFields): number => encodePack({ nodes: [first, named(second)], seals: [] }).length;
    expect(lengthWith({ ...fields, prev: first.id })).toBeLessThan(
      lengthWith({ ...fields, ops: [set('k', Uint8Array.of(2))] }),
    );
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
      ops: [set('k', noise)],
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
