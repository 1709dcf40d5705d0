import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import type { ElementRef, Op } from '../codec/nodes/op.js';
import { allOf, listOf } from '../codec/nodes/places.js';
import { openPack, writePack } from '../codec/packs/pack.js';
import { addNodes, nodeAt } from '../codec/packs/packed-node.js';
import { encodeNode } from '../codec/testing/nodes.js';
import { frontierOf } from './frontier.js';
import { Graph } from './graph.js';
import { Incoming } from './incoming.js';
import { type PublicKey, NO_ROOM, weightOf } from './node.js';
import { type Node, graphOf, identify, nodesOf, packNode } from './testing/nodes.js';

const [ann, bob] = ['a', 'b'].map((letter) => letter.repeat(64) as PublicKey) as [PublicKey, PublicKey];
const of = (id: string, offset: number): ElementRef => ({ node: fromHex(id), offset });
const nobody = ['c', 'd', 'e'].map((digit) => digit.repeat(64));

/** Ops of all kinds; those that can, name something. */
const opsOn = (ref: ElementRef, anchor: ElementRef): Op[] => [
  { kind: 'set', key: 'r', value: encodeValue({ deep: [1] }) },
  { kind: 'delete', key: 'q' },
  { kind: 'set-blob', key: 'b', hash: new Uint8Array(32).fill(3) },
  { kind: 'text-insert', key: 't', anchor: { ref: null, side: 'right' }, text: '€uro' },
  { kind: 'text-insert', key: 't', anchor: { ref, side: 'left' }, text: 'a' },
  { kind: 'text-delete', key: 't', last: ref, count: 2 },
  { kind: 'list-insert', key: 'l', anchor: { ref, side: 'left' }, values: [1, 'two'].map(encodeValue) },
  { kind: 'list-delete', key: 'l', last: ref, count: 1 },
  { kind: 'list-move', key: 'l', item: ref, anchor: { ref: anchor, side: 'left' } },
  { kind: 'list-move', key: 'l', item: 0, anchor: { ref: null, side: 'right' } },
];

const first = identify({ room: NO_ROOM, author: ann, parents: [], ops: opsOn(3, 0), wallMs: 12 });
const late = identify({ room: NO_ROOM, author: bob, parents: [], ops: opsOn(of(first.id, 1), 2) });
const strange = nobody.flatMap((id, i) => opsOn(of(id, i), of(nobody[(i + 1) % 3] ?? id, 2 ** 30)));
/** Names what nobody has, what comes later in the pack, and what stands before it. */
const second = identify({
  room: NO_ROOM,
  author: ann,
  prev: first.id,
  parents: [],
  wallMs: 11,
  ops: [...strange, ...opsOn(of(late.id, 0), of(nobody[0] ?? '', 5)), ...opsOn(of(first.id, 4), 1)],
});
const third = identify({
  room: NO_ROOM,
  author: bob,
  prev: late.id,
  parents: [second.id],
  ops: [{ kind: 'delete', key: 'r' }],
});
const all: readonly Node[] = [first, second, late, third];

/** Nodes on the way that nodes go: as a pack, into a graph that has other numbers for everything, and out as a pack. */
function moved(nodes: readonly Node[], before: readonly Node[] = []): Graph {
  const { table } = openPack(writePack(addNodes(nodes.map((node) => packNode(node))), allOf(nodes.length), []));
  const graph = graphOf(before);
  const incoming = new Incoming(graph, table);
  for (let place = 0; place < table.size; place++) incoming.append(place);
  return graph;
}
const other = identify({ room: NO_ROOM, author: bob, parents: [], ops: opsOn(of(nobody[2] ?? '', 7), 0) });

/** What a graph holds of its nodes besides what they say themselves. */
function pictureOf(graph: Graph): unknown {
  const columns = [graph.lamport, graph.chain, graph.index, graph.table.counter];
  return {
    heads: frontierOf(graph),
    columns: columns.map((column) => [...column.slice(0, column.length)]),
    chains: graph.chains.map(({ nodes, base }) => [base, ...nodes.slice(0, nodes.length)]),
    nodes: nodesOf(graph.table),
  };
}

describe('nodes on their way into a graph', () => {
  it('[ND1] keep their bytes and their ids, also where an op names a node that nobody has', () => {
    for (const before of [[], [other]]) {
      const graph = moved(all, before);
      expect(nodesOf(graph.table)).toEqual([...before, ...all]);
      const { table } = openPack(writePack(graph.table, allOf(graph.size), []));
      // Whoever reads the pack computes the ids from the canonical bytes.
      expect(nodesOf(table)).toEqual([...before, ...all]);
      for (const [number, node] of [...before, ...all].entries()) {
        const bytes = encodeNode(nodeAt(graph.table, number));
        expect([toHex(sha256(bytes)), bytes.length <= weightOf(graph.table, number)]).toEqual([node.id, true]);
      }
    }
  });

  it('[ND1] keep them in a pack of any of them, wherever the others are', () => {
    const graph = moved(all, [other]);
    for (let chosen = 1; chosen < 32; chosen++) {
      const places = Array.from({ length: graph.size }, (_, place) => place).filter((place) => chosen & (1 << place));
      const { table } = openPack(writePack(graph.table, listOf(places), []));
      expect(nodesOf(table).map(({ id }) => id)).toEqual(places.map((place) => graph.idOf(place)));
    }
  });

  it('[ND1] keep them when what they name comes later, in a pack of its own', () => {
    const graph = moved([first, second]);
    const rest = addNodes([late, third].map((node) => packNode(node)));
    const incoming = new Incoming(graph, rest);
    // Asked for before it was there, and found when it is.
    expect([incoming.number(0), incoming.number(1)]).toEqual([-1, -1]);
    expect([incoming.append(0), incoming.append(1)]).toEqual([2, 3]);
    expect([incoming.number(0), incoming.number(1)]).toEqual([2, 3]);
    expect(nodesOf(graph.table)).toEqual(all);
    expect(nodesOf(openPack(writePack(graph.table, allOf(4), [])).table)).toEqual(all);
  });

  it('[ND7] are counted along prev links, whatever the pack says', () => {
    const liar = addNodes([packNode(first, 900), packNode(second, 7)]);
    const graph = new Graph();
    const incoming = new Incoming(graph, liar);
    for (const place of [0, 1]) incoming.append(place);
    const counters = [0, 1].map((node) => graph.table.counter.get(node));
    expect(counters).toEqual([0, graph.counterAfter(0)]);
    expect(counters[1]).toBe(9);
  });

  it('[ND3] come as a run as they would have come one by one, and are taken back like them', () => {
    const run: Node[] = [];
    for (let i = 0; i < 6; i++) {
      const prev = run.at(-1)?.id ?? first.id;
      const ops: Op[] = i === 3 ? opsOn(2, 0) : [{ kind: 'set', key: 'r', value: encodeValue(i) }];
      run.push(
        identify({
          room: NO_ROOM,
          author: ann,
          prev,
          parents: i === 2 ? [late.id] : [],
          ops,
          ...(i > 3 && { wallMs: i }),
        }),
      );
    }
    const table = addNodes(run.map((node) => packNode(node)));
    const [atOnce, oneByOne] = [graphOf([first, late]), graphOf([first, late])];
    for (const graph of [atOnce, oneByOne]) graph.settle();
    for (const end of ['rewind', 'settle'] as const) {
      new Incoming(atOnce, table).appendRun(run.length);
      const incoming = new Incoming(oneByOne, table);
      for (const place of run.keys()) incoming.append(place);
      expect(nodesOf(atOnce.table)).toEqual([first, late, ...run]);
      expect(pictureOf(atOnce)).toEqual(pictureOf(oneByOne));
      for (const graph of [atOnce, oneByOne]) graph[end]();
      expect(pictureOf(atOnce)).toEqual(pictureOf(oneByOne));
    }
    expect(frontierOf(atOnce)).toEqual([run.at(-1)?.id]);
  });

  it('[AD3] are refused by a graph that lacks what they stand on', () => {
    expect(() => moved([second])).toThrow('a node comes before what it stands on');
    expect(() => moved([late, third])).toThrow('a node comes before what it stands on');
  });
});
