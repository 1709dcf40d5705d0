/**
 * The columns of a pack's nodes. [PK2]
 *
 * Tables first (rooms, authors, ids from outside the pack, keys), then one column per field over all
 * nodes, so that like stands next to like and deflate finds it. References within the pack are
 * distances, so only ids from outside cost 32 bytes, once each.
 */
import { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { DecodeError, fromUtf8, toHex, toUtf8 } from './bytes.js';
import { ID_BYTES, NODE_BOUNDS, type NodeFields, type Op } from './canonical-node.js';
import { readValue } from './msgpack.js';

/** Codes of `prev`: none, the chain's latest node in this pack, or a reference shifted by two. */
const PREV_NONE = 0;
const PREV_LATEST = 1;
const PREV_REFERENCE = 2;

interface Identified extends NodeFields {
  readonly id: Uint8Array;
}

/** Gives each distinct value a number in order of first use. */
class Table<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();

  number(name: string, value: T): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.values.length);
    this.values.push(value);
    return this.values.length - 1;
  }
}

export function writeColumns(out: ByteWriter, nodes: readonly Identified[]): void {
  const rooms = new Table<Uint8Array>();
  const authors = new Table<Uint8Array>();
  const outside = new Table<Uint8Array>();
  const keys = new Table<string>();
  const places = new Map<string, number>();
  const latest = new Map<string, number>();
  const columns = { chains: [] as number[], prevs: [] as number[], parents: [] as number[], walls: [] as number[] };
  const ops: Op[] = [];
  const opCounts: number[] = [];
  let wallBefore = 0;

  const reference = (index: number, id: Uint8Array): number => {
    const name = toHex(id);
    const place = places.get(name);
    return place === undefined ? outside.number(name, id) * 2 : (index - place - 1) * 2 + 1;
  };

  nodes.forEach((node, index) => {
    const room = toHex(node.room);
    const author = toHex(node.author);
    const chain = room + author;
    columns.chains.push(rooms.number(room, node.room), authors.number(author, node.author));
    if (node.prev === undefined) columns.prevs.push(PREV_NONE);
    else if (latest.get(chain) !== undefined && latest.get(chain) === places.get(toHex(node.prev)))
      columns.prevs.push(PREV_LATEST);
    else columns.prevs.push(PREV_REFERENCE + reference(index, node.prev));
    columns.parents.push(node.parents.length, ...node.parents.map((parent) => reference(index, parent)));
    columns.walls.push(node.wallMs === undefined ? 0 : zigzag(node.wallMs - wallBefore) + 1);
    wallBefore = node.wallMs ?? wallBefore;
    opCounts.push(node.ops.length);
    for (const op of node.ops) ops.push(op);
    places.set(toHex(node.id), index);
    latest.set(chain, index);
  });
  for (const op of ops) keys.number(op.key, op.key);

  out.varint(nodes.length);
  out.varint(ops.length);
  for (const table of [rooms, authors, outside]) {
    out.varint(table.values.length);
    for (const id of table.values) out.bytes(id);
  }
  out.varint(keys.values.length);
  for (const key of keys.values) writeSized(out, toUtf8(key));
  for (const column of [columns.chains, columns.prevs, columns.parents, columns.walls, opCounts]) {
    for (const value of column) out.varint(value);
  }
  for (const op of ops) out.varint(keys.number(op.key, op.key));
  for (const op of ops) out.varint(op.value === undefined ? 0 : op.value.length);
  for (const op of ops) if (op.value !== undefined) out.bytes(op.value);
}

/** Nodes in order; `idOf` answers the id of an earlier node of the pack, which the caller has computed by then. */
export function* readColumns(
  input: ByteReader,
  bounds: { readonly nodes: number; readonly ops: number },
  idOf: (index: number) => Uint8Array | undefined,
): Generator<NodeFields> {
  const nodeCount = input.count(5, bounds.nodes);
  const opCount = input.count(2, bounds.ops);
  const [rooms, authors, outside] = [readIds(input), readIds(input), readIds(input)];
  const keys = Array.from({ length: input.count(2, opCount) }, () => readKey(input));
  const chains = readColumn(input, nodeCount * 2);
  const prevs = readColumn(input, nodeCount);
  const parents = readParents(input, nodeCount);
  const walls = readColumn(input, nodeCount);
  const opCounts = readColumn(input, nodeCount);
  if (opCounts.reduce((sum, count) => sum + count, 0) !== opCount) throw new DecodeError('op counts do not add up');
  const ops = readOps(input, opCount, keys);

  const resolve = (index: number, reference: number): Uint8Array => {
    if (reference % 2 === 0) return at(outside, reference / 2);
    const id = idOf(index - 1 - (reference - 1) / 2);
    if (!id) throw new DecodeError('a reference points outside the pack');
    return id;
  };

  const latest = new Map<number, number>();
  let wallBefore = 0;
  let opAt = 0;
  for (let index = 0; index < nodeCount; index++) {
    const room = at(chains, index * 2);
    const author = at(chains, index * 2 + 1);
    const chain = room * authors.length + author;
    const prevCode = at(prevs, index);
    let prev: Uint8Array | undefined;
    if (prevCode === PREV_LATEST) prev = idOf(latest.get(chain) ?? -1) ?? missingPrev();
    else if (prevCode >= PREV_REFERENCE) prev = resolve(index, prevCode - PREV_REFERENCE);
    const wallCode = at(walls, index);
    if (wallCode > 0) wallBefore += unzigzag(wallCode - 1);
    if (wallBefore < 0) throw new DecodeError('a clock is before 1970');
    const opEnd = opAt + at(opCounts, index);
    yield {
      room: at(rooms, room),
      author: at(authors, author),
      ...(prev ? { prev } : {}),
      parents: at(parents, index).map((reference) => resolve(index, reference)),
      ...(wallCode > 0 ? { wallMs: wallBefore } : {}),
      ops: ops.slice(opAt, opEnd),
    };
    opAt = opEnd;
    latest.set(chain, index);
  }
}

function readIds(input: ByteReader): Uint8Array[] {
  return Array.from({ length: input.count(ID_BYTES, Number.MAX_SAFE_INTEGER) }, () => input.bytes(ID_BYTES));
}

function readKey(input: ByteReader): string {
  return fromUtf8(input.bytes(input.count(1, NODE_BOUNDS.keyBytes)));
}

function readColumn(input: ByteReader, length: number): number[] {
  return Array.from({ length }, () => input.varint());
}

function readParents(input: ByteReader, nodes: number): number[][] {
  return Array.from({ length: nodes }, () => readColumn(input, input.count(1, NODE_BOUNDS.parents)));
}

/** A length of zero is a delete: no MessagePack item has zero bytes. */
function readOps(input: ByteReader, count: number, keys: readonly string[]): Op[] {
  const names = readColumn(input, count);
  const lengths = readColumn(input, count);
  return names.map((name, i) => {
    const key = at(keys, name);
    const length = at(lengths, i);
    if (length === 0) return { key };
    const value = input.bytes(length);
    const item = new ByteReader(value);
    readValue(item, value);
    item.end();
    return { key, value };
  });
}

function at<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new DecodeError('a reference points outside its table');
  return value;
}

function missingPrev(): never {
  throw new DecodeError('a chain starts with a reference to itself');
}

function writeSized(out: ByteWriter, bytes: Uint8Array): void {
  out.varint(bytes.length);
  out.bytes(bytes);
}

function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
