import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError } from '../codec/bytes/bytes.js';
import { LogColumn } from '../codec/bytes/log-column.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { altered } from '../testing/altered.js';
import { Graph } from './graph.js';
import { Heads } from './heads.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { loadGraph, loadPackedGraph, packGraph, saveGraph, savePackedGraph } from './saved-graph.js';
import { type Node, addTo, identify, nodesOf } from './testing/nodes.js';

const keyOf = (author: number): PublicKey => author.toString(16).padStart(64, 'a') as PublicKey;

/** Some nodes of a few authors, with forks and joins; numbers pick among those before. */
const plans = fc
  .array(fc.record({ author: fc.nat(2), prev: fc.option(fc.nat()), parents: fc.array(fc.nat(), { maxLength: 2 }) }), {
    minLength: 1,
    maxLength: 30,
    size: 'max',
  })
  .map((steps) => {
    const nodes: Node[] = [];
    for (const [n, { author, prev, parents }] of steps.entries()) {
      const own = nodes.filter((node) => node.author === keyOf(author));
      const before = prev === null ? own.at(-1) : own[prev % own.length];
      const ids = new Set(parents.flatMap((parent) => nodes[parent % nodes.length]?.id ?? []));
      if (before) ids.delete(before.id);
      nodes.push(
        identify({
          room: NO_ROOM,
          author: keyOf(author),
          ...(before ? { prev: before.id } : {}),
          parents: [...ids].sort(),
          ops: [{ kind: 'set', key: 'k', value: encodeValue(n) }],
        }),
      );
    }
    return nodes;
  });

function settledGraph(nodes: readonly Node[]): Graph {
  const graph = new Graph();
  addTo(graph, nodes);
  graph.settle();
  return graph;
}

/** All that is asked of a graph. */
function pictureOf(graph: Graph): unknown {
  const { table, lamport, chain, index, heads, size, settled } = graph;
  const numbers = Array.from({ length: size }, (_, node) => node);
  return {
    nodes: nodesOf(table),
    settled,
    places: numbers.map((node) => [lamport, chain, index, table.counter].map((column) => column.get(node))),
    chains: graph.chains.map(({ identity, nodes, base, from }) => [
      identity,
      [...nodes.slice(0, nodes.length)],
      base,
      from,
    ]),
    heads: heads.list().sort((a, b) => a - b),
    found: numbers.map((node) => graph.find(graph.idOf(node))),
    tips: table.identities.list.map((_, identity) => graph.tip(identity)),
  };
}

function saved(graph: Graph, save: (graph: Graph, out: ByteWriter) => void): Uint8Array {
  const out = new ByteWriter(16);
  save(graph, out);
  return out.buffer.slice(0, out.length);
}

function loaded(bytes: Uint8Array, load: (graph: Graph, input: ByteReader) => void): Graph {
  const graph = new Graph();
  load(graph, new ByteReader(bytes));
  return graph;
}

describe('a graph that is written down', () => {
  it('is the one that is read, whether it is packed or not, and goes on alike', () => {
    fc.assert(
      fc.property(plans, fc.nat(30), (nodes, most) => {
        const count = Math.min(most, nodes.length);
        const [first, more] = [nodes.slice(0, count), nodes.slice(count)];
        const graph = settledGraph(first);
        const before = pictureOf(graph);
        const plain = loaded(saved(graph, saveGraph), loadGraph);
        packGraph(graph, first.length);
        expect(pictureOf(graph)).toEqual(before);
        const packed = loaded(saved(graph, savePackedGraph), loadPackedGraph);
        for (const one of [plain, packed]) {
          expect(pictureOf(one)).toEqual(before);
          addTo(one, more);
          one.settle();
        }
        expect(pictureOf(plain)).toEqual(pictureOf(settledGraph(nodes)));
        expect(pictureOf(packed)).toEqual(pictureOf(settledGraph(nodes)));
      }),
      { numRuns: 60 },
    );
  });

  const keep = (author: number, prev?: NodeId): Node =>
    identify({
      room: NO_ROOM,
      author: keyOf(author),
      ...(prev ? { prev } : {}),
      parents: [],
      ops: [{ kind: 'delete', key: 'k' }],
    });
  const first = keep(1);
  const nodes = [first, keep(2), keep(1, first.id)];
  const bytesOf = (changes: Partial<Graph>): Uint8Array =>
    saved(altered(settledGraph(nodes), changes), savePackedGraph);

  it('is refused where it has been cut off', () => {
    const bytes = bytesOf({});
    expect(pictureOf(loaded(bytes, loadPackedGraph))).toEqual(pictureOf(settledGraph(nodes)));
    for (let length = 0; length < bytes.length; length++)
      expect(() => loaded(bytes.subarray(0, length), loadPackedGraph)).toThrow(DecodeError);
  });

  const column = (...values: readonly number[]): LogColumn => {
    const made = new LogColumn();
    for (const value of values) made.push(value);
    return made;
  };
  const chains = settledGraph(nodes).chains;
  const heads = new Heads();
  heads.add(3);

  it.each<[string, Partial<Graph>]>([
    ['a head that is no node', { heads }],
    ['a chain of nobody', { chains: [{ ...chains[0]!, identity: 9 }, chains[1]!] }],
    ['a chain that branches off one that comes later', { chains: [{ ...chains[0]!, from: 0 }, chains[1]!] }],
    ['a chain without nodes', { chains: [...chains, { ...chains[0]!, nodes: column() }] }],
    ['a chain of nodes that are not there', { chains: [{ ...chains[0]!, nodes: column(0, 3) }, chains[1]!] }],
    ['a node on no chain', { chain: column(0, 1, 2) }],
    ['a node with no place on its chain', { index: column(0, 0, 3) }],
    ['a node that stands on nothing at all', { lamport: column(1, 1, 0) }],
    ['fewer places than nodes', { lamport: column(1, 1) }],
  ])('is refused with %s', (_, changes) => {
    expect(() => loaded(bytesOf(changes), loadPackedGraph)).toThrow(DecodeError);
  });
});
