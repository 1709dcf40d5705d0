/** Writer of nodes of a table into the columns of a pack. [PK2] */
import { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { toUtf8 } from '../bytes/bytes.js';
import { IntColumn } from '../bytes/columns.js';
import { readValue } from '../bytes/msgpack.js';
import { type Headers, HeaderWriter, isToldWithOps } from '../nodes/headers.js';
import { NONE, type NodeTable, OWN } from '../nodes/node-table.js';
import {
  DORMANT,
  OP_LIST_DELETE,
  OP_LIST_INSERT_LEFT,
  OP_LIST_INSERT_RIGHT,
  OP_LIST_MOVE_LEFT,
  OP_LIST_MOVE_RIGHT,
  OP_SET,
  OP_TEXT_DELETE,
  OP_TEXT_INSERT_LEFT,
  OP_TEXT_INSERT_RIGHT,
  OP_TEXT_MARK,
} from '../nodes/op-kinds.js';
import {
  NEAR_LIMIT,
  REF_FAR,
  REF_FOREIGN,
  REF_NEAR,
  REF_START,
  newColumns,
  writeColumns,
  zigzag,
} from './pack-columns.js';
import { Stretches } from './stretches.js';

/** Gives each distinct value a number in order of first use. */
class Numbers<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<T, number>();

  number(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.values.length);
    this.values.push(value);
    return this.values.length - 1;
  }
}

/**
 * Writes nodes of the table, by ascending place: `places`, or all from `from` on. References to nodes that are left out
 * become ids outside. Answers whether of any header the ops that are left are among them.
 */
export function writeNodes(out: ByteWriter, table: NodeTable, places: Places, headers?: Headers): boolean {
  const writer = new PackWriter(table, places, headers);
  for (let i = 0; i < places.length; i++) writer.add(places.at(i));
  writer.finish(out);
  return writer.tellsOpsOfHeaders;
}

/** Ascending places of a table. */
export interface Places {
  readonly length: number;
  at(index: number): number;
  /** The index of a place, or -1. */
  indexOf(place: number): number;
}

class PackWriter {
  readonly #table: NodeTable;
  readonly #places: Places;
  readonly #identities = new Map<string, number>();
  readonly #identityBytes: Uint8Array[] = [];
  /** References of ids outside. */
  readonly #outside = new Numbers<number>();
  readonly #keys = new Numbers<number>();
  readonly #stretches = new Stretches();
  /** Room, author, counter, prev of each stretch. */
  readonly #begin = new IntColumn();
  readonly #stretchOf: Int32Array;
  readonly #columns = newColumns();
  readonly #content = new ByteWriter(1024);
  readonly #withheld: Headers | undefined;
  readonly #headers: HeaderWriter | undefined;
  tellsOpsOfHeaders = false;
  #count = 0;
  #ops = 0;
  #wall = 0;

  constructor(table: NodeTable, places: Places, headers?: Headers) {
    this.#table = table;
    this.#places = places;
    this.#withheld = headers;
    this.#headers = headers && new HeaderWriter(table);
    this.#stretchOf = new Int32Array(places.length);
  }

  add(place: number): void {
    const table = this.#table;
    const columns = this.#columns;
    const stretch = this.#stretchFor(place);
    columns.chain.push(stretch);
    const parent = table.firstParent(place);
    const parentsEnd = table.parentsEnd.get(place);
    columns.parentCount.push(parentsEnd - parent);
    for (let i = parent; i < parentsEnd; i++) columns.parents.push(this.#reference(table.parents.get(i)));
    if (this.#withheld?.has(place)) this.#addHeader(place, stretch);
    else this.#addContent(place, stretch);
    this.#stretches.goOn(stretch, this.#count);
    this.#stretchOf[this.#count++] = stretch;
  }

  #addHeader(place: number, stretch: number): void {
    this.#columns.wall.push(0);
    this.#headers?.add(place, this.#count);
    if (this.#withheld && isToldWithOps(this.#table, this.#withheld, place)) {
      this.tellsOpsOfHeaders = true;
      this.#addOps(place, stretch);
      return;
    }
    this.#columns.opCount.push(0);
    this.#stretches.skip(stretch, this.#table.elementsOf(place));
  }

  #addContent(place: number, stretch: number): void {
    const table = this.#table;
    const columns = this.#columns;
    const wallMs = table.walls.size === 0 ? undefined : table.walls.get(place);
    columns.wall.push(wallMs === undefined ? 0 : zigzag(wallMs - this.#wall) + 1);
    this.#wall = wallMs ?? this.#wall;
    this.#addOps(place, stretch);
  }

  #addOps(place: number, stretch: number): void {
    const op = this.#table.firstOp(place);
    const opsEnd = this.#table.opsEnd.get(place);
    this.#columns.opCount.push(opsEnd - op);
    this.#ops += opsEnd - op;
    for (let i = op; i < opsEnd; i++) this.#addOp(i, stretch);
  }

  finish(out: ByteWriter): void {
    const table = this.#table;
    out.varint(this.#count);
    out.varint(this.#ops);
    out.varint(this.#identityBytes.length);
    for (const bytes of this.#identityBytes) out.bytes(bytes);
    out.varint(this.#outside.values.length);
    for (const ref of this.#outside.values) out.digest(table.idWords(ref), table.idAt(ref));
    out.varint(this.#keys.values.length);
    for (const key of this.#keys.values) {
      const bytes = toUtf8(table.keys.names[key]!);
      out.varint(bytes.length);
      out.bytes(bytes);
    }
    out.varint(this.#stretches.length);
    for (let i = 0; i < this.#begin.length; i++) out.varint(this.#begin.values[i]!);
    this.#headers?.finish(out);
    writeColumns(out, this.#columns);
    out.varint(this.#content.length);
    out.bytes(this.#content.view());
  }

  /** The stretch that ends in the node's `prev`, or a new one. */
  #stretchFor(place: number): number {
    const table = this.#table;
    const prev = table.prev.get(place);
    const before = prev >= 0 ? this.#places.indexOf(prev) : -1;
    const counter = table.counter.get(place);
    const identity = table.identity.get(place);
    const last = before >= 0 ? this.#stretchOf[before]! : -1;
    // A pack may also hold nodes that break the rules of chains: they are for admission to refuse.
    const goesOn =
      last >= 0 &&
      this.#stretches.latest(last) === before &&
      this.#stretches.identity(last) === identity &&
      this.#stretches.inserted(last) === counter;
    if (goesOn) return last;
    const { room, author, roomName, authorName } = table.identities.list[identity]!;
    this.#begin.push(this.#identity(roomName, room));
    this.#begin.push(this.#identity(authorName, author));
    this.#begin.push(counter);
    this.#begin.push(prev === NONE ? 0 : 1 + this.#reference(prev));
    return this.#stretches.add(identity, counter);
  }

  #identity(name: string, bytes: Uint8Array): number {
    const known = this.#identities.get(name);
    if (known !== undefined) return known;
    this.#identities.set(name, this.#identityBytes.length);
    return this.#identityBytes.push(bytes) - 1;
  }

  /** Even: the n-th id outside the pack. Odd: so many places back. */
  #reference(ref: number): number {
    const index = ref >= 0 ? this.#places.indexOf(ref) : -1;
    return index < 0 ? this.#outside.number(ref) * 2 : (this.#count - index - 1) * 2 + 1;
  }

  #addOp(op: number, stretch: number): void {
    const table = this.#table;
    const columns = this.#columns;
    const kind = table.kind(op);
    columns.key.push(this.#keys.number(table.key(op)));
    if (kind === DORMANT) return this.#addSet(table.lentValue(op));
    columns.kind.push(kind);
    const start = table.contentStart(op);
    const end = table.contentEnd.get(op);
    const [ref, at, count] = [table.ref.get(op), table.at.get(op), table.count.get(op)];
    switch (kind) {
      case OP_SET:
        columns.size.push(end - start);
        break;
      case OP_TEXT_INSERT_RIGHT:
      case OP_TEXT_INSERT_LEFT:
        this.#element(ref, at, this.#stretches.inserted(stretch) - 1);
        columns.size.push(end - start);
        this.#stretches.insert(stretch, count);
        break;
      case OP_LIST_INSERT_RIGHT:
      case OP_LIST_INSERT_LEFT:
        this.#element(ref, at, this.#stretches.inserted(stretch) - 1);
        columns.size.push(count);
        this.#itemSizes(start, end);
        this.#stretches.insert(stretch, count);
        break;
      case OP_TEXT_DELETE:
      case OP_LIST_DELETE:
        this.#element(ref, at, this.#stretches.expected(stretch));
        columns.size.push(count);
        if (ref === OWN) this.#stretches.erase(stretch, at);
        break;
      case OP_LIST_MOVE_RIGHT:
      case OP_LIST_MOVE_LEFT: {
        const anchor = table.anchor(op);
        this.#element(ref, at, this.#stretches.expected(stretch));
        this.#element(anchor.ref, anchor.at, this.#stretches.inserted(stretch) - 1);
        this.#stretches.insert(stretch, 1);
        break;
      }
      case OP_TEXT_MARK: {
        const to = table.anchor(op);
        const expected = this.#stretches.inserted(stretch) - 1;
        this.#element(ref, at, expected);
        this.#element(to.ref, to.at, expected);
        columns.size.push(count);
        columns.size.push(end - start);
      }
    }
    this.#content.copy(table.content.buffer, start, end);
  }

  /** A `set` whose value is lent. */
  #addSet(value: Uint8Array): void {
    this.#columns.kind.push(OP_SET);
    this.#columns.size.push(value.length);
    this.#content.bytes(value);
  }

  #itemSizes(from: number, to: number): void {
    const bytes = this.#table.content.buffer;
    const input = new ByteReader(bytes, from);
    while (input.position < to) this.#columns.size.push(readValue(input, bytes).length);
  }

  #element(ref: number, at: number, expected: number): void {
    const columns = this.#columns;
    if (ref === NONE) return columns.ref.push(REF_START);
    if (ref !== OWN) {
      columns.ref.push(REF_FOREIGN);
      columns.foreignNode.push(this.#reference(ref));
      columns.foreignOffset.push(at);
      return;
    }
    const distance = zigzag(at - expected);
    columns.ref.push(distance < NEAR_LIMIT ? REF_NEAR + distance : REF_FAR);
    if (distance >= NEAR_LIMIT) columns.farRef.push(distance);
  }
}
