import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../codec/bytes/bytes.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { Identity } from '../codec/nodes/identity.js';
import type { Op } from '../codec/nodes/op.js';
import { frontierOf } from './frontier.js';
import { Graph, withAncestors } from './graph.js';
import { joining, packGraph } from './saved-graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { type Node, addTo, ancestorsOf, graphOf, identify, nodesOf, orders } from './testing/nodes.js';

const key = (fill: number): PublicKey => fill.toString(16).padStart(2, '0').repeat(32) as PublicKey;

let count = 0;
function make(author: number, prev?: Node, parents: readonly Node[] = []): Node {
  const ids = parents.map((parent) => parent.id).sort();
  const ops: Op[] = [{ kind: 'set', key: 'k', value: encodeValue(count++) }];
  return identify({ room: NO_ROOM, author: key(author), ...(prev ? { prev: prev.id } : {}), parents: ids, ops });
}

/** Two chains that part, meet and part again. */
const first = make(1);
const left = make(1, first);
const right = make(2, undefined, [first]);
const join = make(2, right, [left]);
const late = make(3, undefined, [first]);
const all = [first, left, right, join, late];

/** Nodes that stay, and more behind them that can be taken back. */
function laidOut(settled: readonly Node[], more: readonly Node[]): Graph {
  const graph = graphOf(settled);
  graph.settle();
  addTo(graph, more);
  return graph;
}
const lamports = (graph: Graph): (number | undefined)[] => all.map(({ id }) => graph.lamport.get(graph.find(id)));
const tipOf = (graph: Graph, author: PublicKey): NodeId | undefined => {
  const tip = graph.tip(graph.table.identities.number(new Identity(fromHex(NO_ROOM), fromHex(author))));
  return tip < 0 ? undefined : graph.idOf(tip);
};
const marked = (graph: Graph, ...nodes: readonly Node[]): NodeId[] => {
  const found = withAncestors(
    graph,
    nodes.map(({ id }) => graph.find(id)),
  );
  return nodesOf(graph.table).flatMap(({ id }, number) => (found[number] === 1 ? [id] : []));
};

/** Everything that a graph says of its nodes. */
function pictureOf(graph: Graph): unknown {
  const numbers = Array.from({ length: graph.size }, (_, node) => node);
  const { table, lamport, chain, index } = graph;
  return {
    nodes: nodesOf(table),
    found: numbers.map((node) => graph.find(graph.idOf(node))),
    places: numbers.map((node) => [lamport, chain, index, table.counter].map((column) => column.get(node))),
    chains: graph.chains.map(({ nodes, base, from }) => [[...nodes.slice(0, nodes.length)], base, from]),
    tips: [1, 2, 3, 4, 9].map((author) => tipOf(graph, key(author))),
    frontier: frontierOf(graph),
    past: numbers.map((node) => [...withAncestors(graph, [node])]),
  };
}

describe('the graph', () => {
  it('[ND3] derives lamport from prev and parents: 1 without either [fault 19]', () => {
    expect(lamports(graphOf(all))).toEqual([1, 2, 2, 3, 2]);
  });

  it('[ND3] gives a node the same lamport in every order, whole or laid over what is settled', () => {
    let seen = 0;
    for (const order of orders(all)) {
      seen++;
      expect(lamports(graphOf(order))).toEqual([1, 2, 2, 3, 2]);
      for (let cut = 0; cut <= order.length; cut++) {
        expect(lamports(laidOut(order.slice(0, cut), order.slice(cut)))).toEqual([1, 2, 2, 3, 2]);
      }
    }
    expect(seen).toBe(8);
  });

  it('[HS4] has as heads the nodes without successors, whole or laid over what is settled', () => {
    for (const order of orders(all)) {
      for (let cut = 0; cut <= order.length; cut++) {
        const held = order.slice(0, cut);
        const heads = held
          .filter((node) => !held.some((other) => ancestorsOf(other).includes(node.id)))
          .map(({ id }) => id);
        const graph = laidOut(held, order.slice(cut));
        expect([graph.size - graph.settled, frontierOf(graph)]).toEqual([order.length - cut, heads.sort()]);
        graph.settle();
        expect([graph.settled, frontierOf(graph)]).toEqual([order.length, [join.id, late.id].sort()]);
      }
    }
  });

  it('[SL1] knows the newest node of each chain, and a fork makes the later one the newest', () => {
    const graph = graphOf(all);
    graph.settle();
    expect([tipOf(graph, key(1)), tipOf(graph, key(9))]).toEqual([left.id, undefined]);
    const fork = make(1, first);
    addTo(graph, [fork]);
    expect(tipOf(graph, key(1))).toBe(fork.id);
    graph.rewind();
    expect(tipOf(graph, key(1))).toBe(left.id);
  });

  it('[ST1] keeps the order in which nodes came', () => {
    for (const order of orders(all)) expect(nodesOf(graphOf(order).table)).toEqual(order);
  });

  it('[HS5] follows ancestors of what it holds, and finds nothing that it does not hold', () => {
    const graph = graphOf(all);
    expect(marked(graph, join)).toEqual([first, left, right, join].map(({ id }) => id));
    expect(marked(graph, late, late)).toEqual([first, late].map(({ id }) => id));
    expect([marked(graph), graph.find('f'.repeat(64) as NodeId)]).toEqual([[], -1]);
  });

  it('[HS5] follows a chain of 100,000 without recursion', () => {
    let tip = first;
    const nodes = [first];
    for (let i = 0; i < 100_000; i++) {
      // The graph never looks inside an id, so these need not be hashes; they differ at their front, as hashes do.
      tip = { ...first, id: (i + 1).toString(16).padStart(8, '0').padEnd(64, '0') as NodeId, prev: tip.id };
      nodes.push(tip);
    }
    const graph = graphOf(nodes);
    expect(withAncestors(graph, [graph.find(tip.id)]).every((mark) => mark === 1)).toBe(true);
  });

  it('[ND7] counts elements along prev links, alike on both branches of a fork and whichever came first', () => {
    const typed = (author: number, text: string, prev?: Node, parents: readonly Node[] = []): Node => {
      const ops: Op[] = [
        { kind: 'text-insert', key: 't', anchor: { ref: null, side: 'right' }, text },
        { kind: 'text-delete', key: 't', last: 0, count: 1 },
        {
          kind: 'list-insert',
          key: 'l',
          anchor: { ref: null, side: 'right' },
          values: [encodeValue(1), encodeValue(2)],
        },
        { kind: 'list-move', key: 'l', item: 1, anchor: { ref: null, side: 'right' } },
      ];
      const ids = parents.map((parent) => parent.id).sort();
      return identify({ room: NO_ROOM, author: key(author), ...(prev ? { prev: prev.id } : {}), parents: ids, ops });
    };
    const base = typed(1, 'four');
    const [here, there] = [typed(1, 'a', base), typed(1, '\u{1d11e}\u{1d11e}', base)];
    const [after, other] = [typed(1, 'b', there), typed(2, 'c', undefined, [here, there])];
    for (const order of orders([base, here, there, after, other])) {
      for (let cut = 0; cut <= order.length; cut++) {
        const graph = laidOut(order.slice(0, cut), order.slice(cut));
        const nodes = [base, here, there, after, other].map(({ id }) => graph.find(id));
        expect(nodes.map((node) => graph.table.counter.get(node))).toEqual([0, 7, 7, 14, 0]);
        expect(graph.counterAfter(graph.find(after.id))).toBe(18);
        expect(new Set(nodes.map((node) => `${graph.chain.get(node)} ${graph.index.get(node)}`)).size).toBe(5);
        expect(graph.chains).toHaveLength(3);
        expect(nodes.map((node) => graph.table.elementsOf(node))).toEqual([7, 4, 7, 4, 4]);
      }
    }
  });

  it('[ND1] turns a node into its wire form and back', () => {
    const timed = identify({ ...first, wallMs: 7 });
    expect(nodesOf(graphOf([...all, timed]).table)).toEqual([...all, timed]);
  });
});

/** One node as a plan; numbers pick among the nodes before it. */
const step = fc.record({
  author: fc.integer({ min: 1, max: 4 }),
  /** Mostly the author's newest node; else any of the author's, which forks the chain, or none, which begins another. */
  prev: fc.oneof({ weight: 6, arbitrary: fc.constant('newest' as const) }, fc.nat(), fc.constant(undefined)),
  parents: fc.array(fc.nat(), { maxLength: 3 }),
  text: fc.string({ minLength: 1, maxLength: 3 }),
  wallMs: fc.option(fc.nat(9), { nil: undefined }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function planned({ author, prev, parents, text, wallMs }: Step, nodes: readonly Node[]): Node {
  const own = nodes.filter((node) => node.author === key(author));
  const before = prev === undefined || prev === 'newest' ? prev && own.at(-1) : own[prev % own.length];
  const ids = new Set(parents.flatMap((parent) => nodes[parent % nodes.length]?.id ?? []));
  if (before) ids.delete(before.id);
  const ops: Op[] = [
    { kind: 'text-insert', key: text, anchor: { ref: null, side: 'right' }, text },
    { kind: 'list-move', key: text, item: { node: fromHex(key(7)), offset: 0 }, anchor: { ref: 0, side: 'left' } },
    { kind: 'set', key: 'n', value: encodeValue(count++) },
  ];
  const links = { ...(before ? { prev: before.id } : {}), parents: [...ids].sort() };
  return identify({ room: NO_ROOM, author: key(author), ...links, ...(wallMs === undefined ? {} : { wallMs }), ops });
}

/** Nodes at which what is known widens, found by looking at each. */
function joiningOf(graph: Graph): number[] {
  const { table, index } = graph;
  const all = Array.from({ length: graph.settled }, (_, node) => node);
  return all.filter((node) => index.get(node) === 0 || table.parentsEnd.get(node) > table.firstParent(node));
}

describe('what was added since it was settled', () => {
  it('[PK7] can be taken back any number of times: what is left is a graph of the settled nodes alone', () => {
    const turn = fc.record({
      steps: fc.array(step, { maxLength: 8 }),
      open: fc.boolean(),
      then: fc.constantFrom('settle', 'pack', 'rewind', 'add more'),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12, size: 'max' }), (turns) => {
        const graph = new Graph();
        let settled: Node[] = [];
        let nodes: Node[] = [];
        for (const { steps, open, then } of turns) {
          for (const one of steps) {
            const node = planned(one, nodes);
            nodes = [...nodes, node];
            addTo(graph, [node]);
          }
          expect(pictureOf(graph)).toMatchObject({ nodes, frontier: frontierOf(graphOfSettled(settled)) });
          // An op that no node has taken yet goes too.
          if (open && then === 'rewind') graph.table.addOp(1, graph.table.keys.number('open'), -1, 0, 0);
          if (then === 'settle' || then === 'pack') {
            graph.settle();
            if (then === 'pack') packGraph(graph, graph.settled);
            settled = nodes;
          } else if (then === 'rewind') {
            const gone = nodes.slice(settled.length);
            graph.rewind();
            nodes = settled;
            expect(gone.map(({ id }) => graph.find(id))).toEqual(gone.map(() => -1));
            expect(graph.table.ops).toBe(graph.table.firstOp(graph.size));
            // The second op of a node that is gone was a move.
            expect(() => graph.table.anchor(graph.table.ops + 1)).toThrow('no move');
          } else continue;
          expect(pictureOf(graph)).toEqual(pictureOf(graphOfSettled(settled)));
          expect([graph.settled, graph.size]).toEqual([settled.length, settled.length]);
          expect([...joining(graph)]).toEqual(joiningOf(graph));
        }
      }),
      { numRuns: 38 },
    );
  });

  it('[PK7] is not among the heads that are told, until it is settled', () => {
    const graph = laidOut([first, left], [right, join, late]);
    expect(frontierOf(graph)).toEqual([left.id]);
    graph.rewind();
    expect(frontierOf(graph)).toEqual([left.id]);
    addTo(graph, [late]);
    expect(frontierOf(graph)).toEqual([left.id]);
    graph.settle();
    expect(frontierOf(graph)).toEqual([left.id, late.id].sort());
  });
});

function graphOfSettled(nodes: readonly Node[]): Graph {
  const graph = graphOf(nodes);
  graph.settle();
  return graph;
}

describe('writing on all heads', () => {
  it('[ND2] makes a node on prev and the other heads, or changes nothing when no replica would take it', () => {
    const graph = graphOfSettled([first, left, right]);
    const author = graph.table.identities.number(new Identity(fromHex(NO_ROOM), fromHex(key(1))));
    const before = pictureOf(graph);
    expect(() => graph.write(author, graph.find(first.id), 2 ** 48 + 1)).toThrow('the clock is beyond');
    expect(() => graph.write(author, -1, 2 ** 48 + 1)).toThrow('the clock is beyond');
    expect(pictureOf(graph)).toEqual(before);
    const node = graph.write(author, graph.find(left.id), 5);
    const written = identify({
      room: NO_ROOM,
      author: key(1),
      prev: left.id,
      parents: [right.id],
      wallMs: 5,
      ops: [],
    });
    expect([node, nodesOf(graph.table).at(-1)]).toEqual([3, written]);
    graph.settle();
    expect(frontierOf(graph)).toEqual([written.id]);
  });

  it('[ND2] names parents in the order of their ids, and no time where none is told', () => {
    const firsts = Array.from({ length: 9 }, (_, author) => make(author + 1));
    const graph = graphOfSettled(firsts);
    const [author] = [graph.table.identity.get(0)];
    graph.write(author, 0);
    const parents = firsts.slice(1).map(({ id }) => id);
    const written = identify({ room: NO_ROOM, author: key(1), prev: firsts[0]!.id, parents: parents.sort(), ops: [] });
    expect(nodesOf(graph.table).at(-1)).toEqual(written);
  });
});

describe('a graph whose table is made anew', () => {
  /** What stays in any case: ids, places and authors by their numbers. */
  const lasting = (graph: Graph) => ({
    ...(pictureOf(graph) as object),
    nodes: nodesOf(graph.table).map(({ ops: _, ...rest }) => rest),
    authors: graph.table.identities.list.map(({ authorName }) => authorName),
    keys: graph.table.keys.names,
  });

  it('keeps headers of what is withheld, and all else of what is not, and is filled again', () => {
    const graph = graphOfSettled(all);
    const [whole, before] = [pictureOf(graph), lasting(graph)];
    const from = graph.table;
    const nodes = new Set([1, 4]);
    graph.withhold(nodes);
    expect(lasting(graph)).toEqual(before);
    expect(nodesOf(graph.table).map(({ ops }) => ops.length)).toEqual([1, 0, 1, 1, 0]);
    expect([...graph.table.withheld].map(([node]) => node)).toEqual([1, 4]);
    graph.fill(from, new Map([...nodes].map((node) => [node, node])));
    expect(pictureOf(graph)).toEqual(whole);
    expect(lasting(graph)).toEqual(before);
    expect([...graph.table.withheld].map(([node]) => node)).toEqual([]);
  });

  it('leaves nodes as they were copied otherwise', () => {
    const graph = graphOfSettled(all);
    const asked: number[] = [];
    graph.withhold(new Set([1, 4]), (copy, node, counter) => {
      asked.push(node);
      if (node === 4) copy.copy(node, counter);
      return node === 4;
    });
    expect(asked).toEqual([0, 1, 2, 3, 4]);
    expect([...graph.table.withheld].map(([node]) => node)).toEqual([1]);
  });

  it('forgets its nodes but the numbers of keys and authors', () => {
    const graph = graphOfSettled(all);
    const [before, whole] = [lasting(graph), pictureOf(graph)];
    const table = graph.empty();
    expect(nodesOf(table)).toEqual(all);
    expect(graph.table).not.toBe(table);
    expect([graph.size, graph.settled, graph.chains, graph.heads.list()]).toEqual([0, 0, [], []]);
    expect([lasting(graph).authors, lasting(graph).keys]).toEqual([before.authors, before.keys]);
    addTo(graph, all);
    graph.settle();
    expect(pictureOf(graph)).toEqual(whole);
  });
});
