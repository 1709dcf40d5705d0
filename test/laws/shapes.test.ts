/** Graphs and documents of extreme shape, brought to two replicas in opposite orders: no recursion, one state. */
import {
  type KeyPair,
  type Op,
  type PackedNode,
  type Replica,
  DecodeError,
  decodePack,
  encodePack,
  fromHex,
  toHex,
} from '@weft/core';
import { describe, expect, it } from 'vitest';
import { join, keysOf, nodeOf, openRoom, reasons, sealOf, sealed } from './support.js';

/** Nodes that do not know each other, by several authors in turn; each is its own run. */
async function apart(
  room: Uint8Array,
  count: number,
  authors: number,
  ops: (number: number) => readonly Op[],
  parents: Uint8Array[] = [],
) {
  const authorOf = (number: number): KeyPair => keysOf(1000 + (number % authors));
  const nodes = Array.from({ length: count }, (_, number) =>
    nodeOf({ room, author: fromHex(authorOf(number).publicKey), parents, ops: ops(number) }),
  );
  const signatures = await Promise.all(nodes.map(({ id }, number) => sealOf(authorOf(number), id)));
  const packOf = (order: readonly number[]): Uint8Array =>
    encodePack({
      nodes: order.map((index) => nodes[index] as PackedNode),
      seals: order.map((index, place) => ({ index: place, signature: signatures[index] as Uint8Array })),
    });
  const order = [...nodes.keys()];
  return { nodes, forwards: packOf(order), backwards: packOf(order.toReversed()) };
}

function mustAgree(one: Replica, two: Replica): void {
  expect(two.stateHash).toBe(one.stateHash);
  expect(two.frontier).toEqual(one.frontier);
}

/** Siblings beside one element; the long suite makes 5,000. */
const SIBLINGS = process.env['TESTS_LONG'] ? 5000 : 2000;

describe('extreme shapes', () => {
  it('[AD6] one chain of 50,000 nodes, its parts in either order [fault 22]', async () => {
    const room = await openRoom();
    const writer = await join(room, 1);
    const text = writer.text('t');
    const packs: Uint8Array[] = [];
    for (let i = 0; i < 50_000; i++) {
      if (i % 5 === 0) writer.set(`k${i % 7}`, i);
      else text.insert(text.length, 'x');
      if (i % 25_000 === 24_999) packs.push(await sealed(writer));
    }
    const [forwards, backwards] = [await join(room, 2), await join(room, 3)];
    for (const pack of packs) expect(reasons(await forwards.receive(pack))).toEqual([]);
    // What comes before its ancestors is refused and comes again.
    for (let left = packs.toReversed(); left.length > 0;) {
      const early: Uint8Array[] = [];
      for (const pack of left) if (reasons(await backwards.receive(pack)).length > 0) early.push(pack);
      expect(early).toHaveLength(left.length - 1);
      left = early;
    }
    mustAgree(forwards, writer);
    mustAgree(backwards, writer);
    expect(backwards.text('t').toString()).toBe('x'.repeat(40_000));
  });

  it('[ND5] 2,000 heads of 2,000 authors, joined by nodes on at most 256 of them [fault 21]', async () => {
    const room = await openRoom();
    const { forwards, backwards, nodes } = await apart(fromHex(room.genesis.id), 2000, 2000, (number) => [
      { kind: 'set', key: `k${number % 10}`, value: new Uint8Array([number % 128]) },
    ]);
    const [one, two] = [await join(room, 1), await join(room, 2)];
    expect(reasons(await one.receive(forwards))).toEqual([]);
    expect(reasons(await two.receive(backwards))).toEqual([]);
    mustAgree(one, two);
    // The genesis is a head as well: none of the nodes stands on it.
    expect(one.frontier).toHaveLength(2001);
    one.set('joined', 1);
    const pack = await sealed(one);
    const [node] = decodePack(pack).nodes;
    expect(node?.parents).toHaveLength(256);
    expect(reasons(await two.receive(pack))).toEqual([]);
    mustAgree(one, two);
    expect(one.frontier).toHaveLength(2001 - 256 + 1);
    // Heads beyond those that one node may join: each write joins some more of them.
    for (let i = 0; i < 10; i++) two.set('joined', i);
    expect(reasons(await one.receive(await sealed(two)))).toEqual([]);
    mustAgree(one, two);
    expect(one.frontier).toHaveLength(1);
    const parents = nodes
      .slice(0, 257)
      .map(({ id }) => toHex(id))
      .sort()
      .map(fromHex);
    const author = fromHex(keysOf(1000).publicKey);
    const many = { room: fromHex(room.genesis.id), author, parents, ops: [{ kind: 'delete', key: 'k' } as const] };
    expect(() => nodeOf(many)).toThrow(DecodeError);
  });

  it(`[SQ2] ${SIBLINGS} siblings left of one unit of text, and as many right of one item`, async () => {
    const room = await openRoom();
    const writer = await join(room, 1);
    writer.text('t').insert(0, '.');
    writer.list('l').push('.');
    const base = await sealed(writer);
    const [unit, item] = decodePack(base).nodes.map(({ id }) => id) as [Uint8Array, Uint8Array];
    const beside = (number: number): Op[] => [
      {
        kind: 'text-insert',
        key: 't',
        text: String.fromCharCode(0x4e00 + number),
        anchor: { ref: { node: unit, offset: 0 }, side: 'left' },
      },
      {
        kind: 'list-insert',
        key: 'l',
        values: [new Uint8Array([0xcd, number >> 8, number & 0xff])],
        anchor: { ref: { node: item, offset: 0 }, side: 'right' },
      },
    ];
    const { forwards, backwards } = await apart(fromHex(room.genesis.id), SIBLINGS, 50, beside, [item]);
    const [one, two] = [await join(room, 2), await join(room, 3)];
    for (const replica of [one, two]) await replica.receive(base);
    expect(reasons(await one.receive(forwards))).toEqual([]);
    expect(reasons(await two.receive(backwards))).toEqual([]);
    mustAgree(one, two);
    const [text, items] = [one.text('t').toString(), one.list('l').toArray()];
    expect([text.length, text.indexOf('.'), items.length, items.indexOf('.')]).toEqual([
      SIBLINGS + 1,
      SIBLINGS,
      SIBLINGS + 1,
      0,
    ]);
    expect(two.text('t').toString()).toBe(text);
    expect(two.list('l').toArray()).toEqual(items);
  });

  it('[SQ1] a text that is only ever typed to the left, and one split at every place [fault 26]', async () => {
    const room = await openRoom();
    const writer = await join(room, 1);
    for (let i = 0; i < 5000; i++) writer.text('left').insert(0, 'l');
    for (let i = 0; i < 5000; i++) writer.text('middle').insert(i >> 1, 'm');
    for (let i = 0; i < 2000; i++) writer.text('left').delete(i, 1);
    const [one, two] = [await join(room, 2), await join(room, 3)];
    const pack = await sealed(writer);
    expect(reasons(await one.receive(pack))).toEqual([]);
    two.text('left').insert(0, 'r');
    expect(reasons(await two.receive(pack))).toEqual([]);
    mustAgree(one, writer);
    expect(reasons(await one.receive(await sealed(two)))).toEqual([]);
    mustAgree(one, two);
    expect(one.text('left').toString()).toHaveLength(3001);
    expect(one.text('middle').toString()).toBe('m'.repeat(5000));
  });
});
