/** Nodes as tests write them down, ids in hex, and graphs that are made of them. */
import { fromHex, toHex } from '../../codec/bytes/bytes.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { Op } from '../../codec/nodes/op.js';
import { type NodeFields, type PackedNode, addNodes, nodeAt } from '../../codec/packs/packed-node.js';
import { nodeId } from '../../codec/testing/nodes.js';
import { Graph } from '../graph.js';
import { Incoming } from '../incoming.js';
import type { NodeId, PublicKey } from '../node.js';

export interface Draft {
  readonly room: NodeId;
  readonly author: PublicKey;
  readonly prev?: NodeId;
  /** Sorted, without `prev`. */
  readonly parents: readonly NodeId[];
  readonly wallMs?: number;
  readonly ops: readonly Op[];
}

export interface Node extends Draft {
  readonly id: NodeId;
}

export function identify(draft: Draft): Node {
  return { ...draft, id: toHex(nodeId(toFields(draft))) as NodeId };
}

/** Everything that a node stands on. */
export function ancestorsOf({ prev, parents }: Draft): readonly NodeId[] {
  return prev ? [prev, ...parents] : parents;
}

export function packNode(node: Node, counter = 0): PackedNode {
  return { ...toFields(node), id: fromHex(node.id), counter };
}

function toFields({ room, author, prev, parents, wallMs, ops }: Draft): NodeFields {
  return {
    room: fromHex(room),
    author: fromHex(author),
    ...(prev ? { prev: fromHex(prev) } : {}),
    parents: parents.map(fromHex),
    ...(wallMs === undefined ? {} : { wallMs }),
    ops,
  };
}

/** The ids are taken as they are given, so they need not be hashes. */
export function tableOf(nodes: readonly Node[]): NodeTable {
  return addNodes(nodes.map((node) => packNode(node)));
}

/** Adds nodes that the graph does not hold, each after its ancestors; answers their numbers. */
export function addTo(graph: Graph, nodes: readonly Node[]): number[] {
  const incoming = new Incoming(graph, tableOf(nodes));
  return nodes.map((_, place) => incoming.append(place));
}

export function graphOf(nodes: readonly Node[]): Graph {
  const graph = new Graph();
  addTo(graph, nodes);
  return graph;
}

/** All nodes of a table, as they were written down. */
export function nodesOf(table: NodeTable): Node[] {
  return Array.from({ length: table.size }, (_, place) => {
    const { id, room, author, prev, parents, wallMs, ops } = nodeAt(table, place);
    return {
      id: toHex(id) as NodeId,
      room: toHex(room) as NodeId,
      author: toHex(author) as PublicKey,
      ...(prev ? { prev: toHex(prev) as NodeId } : {}),
      parents: parents.map((parent) => toHex(parent) as NodeId),
      ...(wallMs === undefined ? {} : { wallMs }),
      ops,
    };
  });
}

/** All orders in which each node follows its ancestors. */
export function* orders(left: readonly Node[], done: readonly Node[] = []): Generator<readonly Node[]> {
  if (left.length === 0) yield done;
  const held = new Set(done.map(({ id }) => id));
  for (const node of left) {
    if (!ancestorsOf(node).every((id) => held.has(id))) continue;
    yield* orders(
      left.filter((other) => other !== node),
      [...done, node],
    );
  }
}
