/**
 * Graphs as they are written down for this machine alone. An image of a room that is not packed has its nodes, and what follows from them
 * is made again; one of a room that is packed has that too, so that nobody looks at each of its nodes.
 */
import type { ByteReader } from '../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError } from '../codec/bytes/bytes.js';
import type { LogColumn } from '../codec/bytes/log-column.js';
import { loadPacked, packColumn, savePacked } from '../codec/bytes/packed-column.js';
import { expectAlike, expectWithin } from '../codec/nodes/loaded-columns.js';
import {
  type ColumnForm,
  WHOLE,
  loadTable,
  nodesWithParents,
  replaceColumns,
  saveTable,
} from '../codec/nodes/saved-table.js';
import type { Graph } from './graph.js';
import { lastAtMost } from './last-at-most.js';

/** Columns that follow from nodes, in the order in which they are written down. */
const FOLLOWING = ['lamport', 'chain', 'index'] as const;

const PACKED: ColumnForm = { save: savePacked, load: loadPacked };

/** Packs what is held of the first nodes, which are settled, as far as whole blocks reach. */
export function packGraph(graph: Graph, nodes: number): void {
  const { table } = graph;
  const [ops, parents] = [table.firstOp(nodes), table.firstParent(nodes)];
  const upTo =
    (end: number) =>
    (column: LogColumn): LogColumn =>
      packColumn(column, end);
  replaceColumns(table, { nodes: upTo(nodes), parents: upTo(parents), ops: upTo(ops) });
  for (const name of FOLLOWING) graph[name] = packColumn(graph[name], nodes);
  for (const chain of graph.chains) chain.nodes = packColumn(chain.nodes, lastAtMost(chain.nodes, nodes - 1) + 1);
  graph.heads.closeBefore(nodes);
}

/** Only when nothing is left to be settled. */
export function saveGraph({ table }: Graph, out: ByteWriter): void {
  saveTable(table, out, WHOLE);
}

/** Into an empty graph; all nodes are settled. */
export function loadGraph(graph: Graph, input: ByteReader): void {
  loadTable(graph.table, input, WHOLE);
  graph.appendRun(graph.table.size);
  graph.settle();
}

/** With what follows from the nodes. */
export function savePackedGraph(graph: Graph, out: ByteWriter): void {
  out.varint(graph.table.dormantBytes);
  saveTable(graph.table, out, PACKED);
  for (const column of [graph.lamport, graph.chain, graph.index]) PACKED.save(column, out);
  const heads = graph.heads.list();
  out.varint(heads.length);
  for (const head of heads) out.varint(head);
  out.varint(graph.chains.length);
  for (const { identity, nodes, base, from } of graph.chains) {
    for (const number of [identity, base, from + 1]) out.varint(number);
    PACKED.save(nodes, out);
  }
}

/** Into an empty graph; all nodes are settled. */
export function loadPackedGraph(graph: Graph, input: ByteReader): void {
  const { table } = graph;
  const dormantBytes = input.varint();
  loadTable(table, input, PACKED, dormantBytes);
  const { size } = table;
  for (const name of FOLLOWING) graph[name] = loadPacked(input);
  const { lamport, chain, index } = graph;
  const heads = Array.from({ length: input.count(1, size) }, () => input.varint());
  for (let left = input.count(4, size); left > 0; left--) loadChain(graph, input);
  expectAlike(size, [lamport, chain, index]);
  expectWithin(lamport, 1, 2 ** 31);
  expectWithin(chain, 0, graph.chains.length);
  expectWithin(index, 0, size);
  if (heads.some((head) => head >= size)) throw new DecodeError('a saved graph has a head that is no node');
  graph.heads.begin(size, heads);
  graph.settle();
}

function loadChain(graph: Graph, input: ByteReader): void {
  const { table, chains } = graph;
  const [identity, base, from] = [input.varint(), input.varint(), input.varint() - 1];
  const nodes = loadPacked(input);
  expectWithin(nodes, 0, table.size);
  const isSound = identity < table.identities.list.length && from < chains.length && nodes.length > 0;
  if (!isSound) throw new DecodeError('a saved graph has a chain of nobody');
  graph.begin({ identity, nodes, base, from });
}

/** Settled nodes that begin a chain or have parents, ascending: what is known widens at these alone. */
export function* joining({ table, chains, settled }: Graph): Generator<number> {
  const firsts = chains.map(({ nodes }) => nodes.get(0)).sort((a, b) => a - b);
  let next = 0;
  for (const node of nodesWithParents(table)) {
    if (node >= settled) break;
    while (next < firsts.length && firsts[next]! < node) yield firsts[next++]!;
    if (firsts[next] === node) next++;
    yield node;
  }
  while (next < firsts.length && firsts[next]! < settled) yield firsts[next++]!;
}
