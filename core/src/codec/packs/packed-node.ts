/** Nodes as objects, at the edges: the public form of a pack, and whoever looks at one node. */
import { DecodeError } from '../bytes/bytes.js';
import { ID_BYTES, NODE_BOUNDS, checkNode } from '../nodes/canonical-node.js';
import { Identity } from '../nodes/identity.js';
import { NONE, NodeTable } from '../nodes/node-table.js';
import { type Op, addOp, opAt } from '../nodes/op.js';
import { digestBytes, digestWords } from '../sha256/words.js';

export interface NodeFields {
  readonly room: Uint8Array;
  readonly author: Uint8Array;
  readonly prev?: Uint8Array;
  readonly parents: readonly Uint8Array[];
  readonly wallMs?: number;
  readonly ops: readonly Op[];
}

export interface PackedNode extends NodeFields {
  readonly id: Uint8Array;
  /** Elements that the node's chain had inserted before it. */
  readonly counter: number;
  /** There if this is a header: how many elements the ops insert, which are not here, or only as far as they were not erased. [HD1] [VE5] */
  readonly withheld?: number;
}

/** The id is taken as it is given: whoever reads the pack computes its own. */
export function addNodes(nodes: readonly PackedNode[]): NodeTable {
  const table = new NodeTable(nodes.length);
  for (const node of nodes) {
    if (node.withheld !== undefined) table.withheld.set(table.size, node.ops.length > 0 ? 0 : node.withheld);
    addNode(table, node, node.counter);
    for (const word of digestWords(node.id)) table.ids.push(word);
  }
  return table;
}

/** Ends with `close`: the id is pushed next. Throws `DecodeError` when a rule is broken that needs nothing but the node. [ND2] */
export function addNode(table: NodeTable, fields: NodeFields, counter: number): void {
  const { room, author, prev, parents, wallMs, ops } = fields;
  const refOf = (id: Uint8Array): number => table.refTo(idWords(id), 0);
  // Numbers do not hold more; the exact bounds are checked below.
  if (ops.length > NODE_BOUNDS.ops) throw new DecodeError('more than 65,536 ops');
  for (const parent of parents) table.parents.push(refOf(parent));
  for (const op of ops) addOp(table, op, refOf);
  const identity = table.identities.number(new Identity(room, author));
  const place = table.close(identity, prev ? refOf(prev) : NONE, counter);
  if (wallMs !== undefined) table.walls.set(place, wallMs);
  checkNode(table, place);
}

function idWords(id: Uint8Array): Int32Array {
  if (id.length !== ID_BYTES) throw new DecodeError('an id is not 32 bytes');
  return digestWords(id);
}

export function nodeAt(table: NodeTable, place: number): PackedNode {
  const prev = table.prev.get(place);
  const wallMs = table.walls.get(place);
  const withheld = table.withheld.has(place) ? table.elementsOf(place) : undefined;
  const { room, author } = table.identities.list[table.identity.get(place)]!;
  const parents = table.parents.slice(table.firstParent(place), table.parentsEnd.get(place));
  const ops: Op[] = [];
  for (let op = table.firstOp(place); op < table.opsEnd.get(place); op++) ops.push(opAt(table, op));
  return {
    id: idOf(table, place),
    room,
    author,
    ...(prev === NONE ? {} : { prev: idOf(table, prev) }),
    parents: Array.from(parents, (parent) => idOf(table, parent)),
    ...(wallMs === undefined ? {} : { wallMs }),
    ops,
    counter: table.counter.get(place),
    ...(withheld === undefined ? {} : { withheld }),
  };
}

export function idOf(table: NodeTable, ref: number): Uint8Array {
  return digestBytes(table.idWords(ref), table.idAt(ref));
}
