import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { NONE } from '../codec/nodes/node-table.js';
import type { Op } from '../codec/nodes/op.js';
import { Branches } from './branches.js';
import { Graph } from './graph.js';
import { type NodeId, type PublicKey, NO_ROOM } from './node.js';
import { type Node, addTo } from './testing/nodes.js';

/** Not from 0 on: an id of zeros stands for none. */
const nameOf = (number: number): NodeId => (number + 1).toString(16).padStart(64, '0') as NodeId;
const keyOf = (author: number): PublicKey => author.toString(16).padStart(64, 'a') as PublicKey;

function opsOf(elements: number): Op[] {
  if (elements === 0) return [{ kind: 'delete', key: 'k' }];
  const values = Array.from({ length: elements }, (_, n) => encodeValue(n));
  return [{ kind: 'list-insert', key: 'l', anchor: { ref: null, side: 'right' }, values }];
}

/** One node as a plan: on the author's newest node, on any of theirs, which forks the chain, or on none. */
const step = fc.record({
  author: fc.nat(1),
  prev: fc.oneof({ weight: 3, arbitrary: fc.constant('newest') }, { weight: 3, arbitrary: fc.nat() }, fc.constant('')),
  elements: fc.nat(3),
});
const plans = fc.array(step, { maxLength: 16, size: 'max' }).map((steps) => {
  const nodes: Node[] = [];
  for (const { author, prev, elements } of steps) {
    const own = nodes.filter((node) => node.author === keyOf(author));
    const before = typeof prev === 'number' ? own[prev % own.length] : prev === 'newest' ? own.at(-1) : undefined;
    const links = { ...(before ? { prev: before.id } : {}), parents: [] };
    nodes.push({ id: nameOf(nodes.length), room: NO_ROOM, author: keyOf(author), ...links, ops: opsOf(elements) });
  }
  return nodes;
});

/** What the rules say, by walking along `prev`. */
class Walk {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  hasSiblings(node: number): boolean {
    const { table, size } = this.#graph;
    const prev = table.prev.get(node);
    if (prev === NONE) return false;
    return Array.from({ length: size }, (_, other) => other).some(
      (other) => other !== node && table.prev.get(other) === prev,
    );
  }

  /** The node with the element that the last node of a chain knows by a counter. */
  holder(chain: number, counter: number): number {
    const { table, chains } = this.#graph;
    const { nodes } = chains[chain]!;
    let node = nodes.get(nodes.length - 1);
    while (counter < table.counter.get(node)) node = table.prev.get(node);
    return node;
  }

  chainOf(chain: number, counter: number): number {
    return this.#graph.chain.get(this.holder(chain, counter));
  }

  branchOf(chain: number, counter: number): number {
    const { prev } = this.#graph.table;
    let node = this.holder(chain, counter);
    while (!this.hasSiblings(node) && prev.get(node) !== NONE) node = prev.get(node);
    return node;
  }

  startOf(chain: number, counter: number): number {
    return this.#graph.table.counter.get(this.branchOf(chain, counter));
  }

  endOf(chain: number, counter: number): number {
    const { chains, table, index } = this.#graph;
    const { nodes } = chains[chain]!;
    const begins = [...nodes.slice(0, nodes.length)].filter((node) => index.get(node) === 0 || this.hasSiblings(node));
    return Math.min(...begins.map((node) => table.counter.get(node)).filter((each) => each > counter), Infinity);
  }

  pieces(chain: number, first: number, last: number): { chain: number; counter: number; count: number }[] {
    const pieces: { chain: number; counter: number; count: number }[] = [];
    for (let counter = last; counter >= first; counter--) {
      const holder = this.chainOf(chain, counter);
      const piece = pieces.at(-1);
      if (piece?.chain === holder) Object.assign(piece, { counter, count: piece.count + 1 });
      else pieces.push({ chain: holder, counter, count: 1 });
    }
    return pieces;
  }
}

/** Counters of all elements that the last node of a chain knows. */
function countersOf(graph: Graph, chain: number): number[] {
  const { nodes } = graph.chains[chain]!;
  return Array.from({ length: graph.counterAfter(nodes.get(nodes.length - 1)) }, (_, counter) => counter);
}

function mustAgree(graph: Graph, branches: Branches): void {
  const walk = new Walk(graph);
  for (const chain of graph.chains.keys())
    for (const counter of countersOf(graph, chain)) {
      const at = [chain, counter] as const;
      const [holder, first] = [walk.chainOf(...at), Math.floor(counter / 2)];
      expect([at, branches.chainOf(...at)]).toEqual([at, holder]);
      expect([...branches.pieces(chain, first, counter)]).toEqual(walk.pieces(chain, first, counter));
      // Branches are asked for by the chain that holds the element.
      if (holder !== chain) continue;
      expect([at, branches.branchOf(...at)]).toEqual([at, walk.branchOf(...at)]);
      expect([at, branches.startOf(...at)]).toEqual([at, walk.startOf(...at)]);
      expect([at, branches.endOf(...at)]).toEqual([at, walk.endOf(...at)]);
    }
}

describe('branches of chains', () => {
  it('are what one finds by walking along prev, after each node and when all begin anew', () => {
    fc.assert(
      fc.property(plans, (nodes) => {
        const graph = new Graph();
        const branches = new Branches(graph);
        for (const node of nodes) for (const number of addTo(graph, [node])) branches.add(number);
        mustAgree(graph, branches);
        branches.clear();
        for (const chain of graph.chains.keys())
          expect([branches.branchOf(chain, 0), branches.startOf(chain, 9), branches.endOf(chain, 0)]).toEqual([
            -1,
            0,
            Infinity,
          ]);
        for (let node = 0; node < graph.size; node++) branches.add(node);
        mustAgree(graph, branches);
      }),
    );
  });

  it('are told as soon as a chain has one more, once for each', () => {
    fc.assert(
      fc.property(plans, (nodes) => {
        const graph = new Graph();
        const branches = new Branches(graph);
        const walk = new Walk(graph);
        const told: [number, number][] = [];
        branches.onBranch((chain, counter) => told.push([chain, counter]));
        for (const node of nodes) {
          const before = Array.from({ length: graph.size }, (_, number) => walk.hasSiblings(number));
          for (const number of addTo(graph, [node])) branches.add(number);
          const branched = before.flatMap((has, number) => (!has && walk.hasSiblings(number) ? [number] : []));
          expect(told.splice(0)).toEqual(
            branched.map((number) => [graph.chain.get(number), graph.table.counter.get(number)]),
          );
        }
      }),
    );
  });
});
