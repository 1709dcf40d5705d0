/** Reader of the columns of a pack into a table of nodes. [PK2] Total: nodes, or one `DecodeError`. */
import { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError, fromUtf8, utf16Length } from '../bytes/bytes.js';
import { IntColumn } from '../bytes/columns.js';
import { skipValue } from '../bytes/msgpack.js';
import {
  ID_BYTES,
  MOST_ELEMENTS,
  NODE_BOUNDS,
  checkDeletion,
  checkElement,
  checkInsert,
  checkMark,
  checkMove,
  checkNode,
  readMark,
} from '../nodes/canonical-node.js';
import { HeaderReader } from '../nodes/headers.js';
import { Identity } from '../nodes/identity.js';
import { identify } from '../nodes/node-id.js';
import { NONE, NodeTable, OWN, outside } from '../nodes/node-table.js';
import {
  OP_DELETE,
  OP_LIST_DELETE,
  OP_LIST_INSERT_LEFT,
  OP_LIST_INSERT_RIGHT,
  OP_LIST_MOVE_LEFT,
  OP_LIST_MOVE_RIGHT,
  OP_SET,
  OP_SET_BLOB,
  OP_TEXT_DELETE,
  OP_TEXT_INSERT_LEFT,
  OP_TEXT_INSERT_RIGHT,
  OP_TEXT_MARK,
} from '../nodes/op-kinds.js';
import { DIGEST_WORDS, readWords } from '../sha256/words.js';
import {
  type ColumnName,
  type ColumnReader,
  REF_FAR,
  REF_FOREIGN,
  REF_NEAR,
  REF_START,
  readColumns,
  unzigzag,
} from './pack-columns.js';
import { Stretches } from './stretches.js';

export interface PackBounds {
  readonly nodes: number;
  readonly ops: number;
  readonly inflatedBytes: number;
  /** Bound on all nodes together: a key stands in a pack once and in the canonical bytes of each node that names it. */
  readonly canonicalBytes: number;
}

/** Typing takes about a byte of content for each node, and next to nothing else. */
const NODES_PER_BYTE = 2;

/** What the flags of a pack say is in it. */
export interface PackParts {
  readonly headers: boolean;
  /** Ops of headers, as far as they were not erased. */
  readonly remains: boolean;
}

const NO_PARTS: PackParts = { headers: false, remains: false };

/** Reads the nodes of a pack's body and gives each its id: the computed one, or what its header says. */
export class PackReader {
  readonly table: NodeTable;
  readonly #count: number;
  readonly #canonicalBytes: number;
  #bytes = 0;
  readonly #opCount: number;
  readonly #stretches = new Stretches();
  /** For each stretch what its first node stands on. */
  readonly #before = new IntColumn();
  readonly #headers: HeaderReader;
  readonly #columns: Record<ColumnName, ColumnReader>;
  readonly #content: Uint8Array;
  readonly #mayHaveRemains: boolean;
  #hasRemains = false;
  #contentAt = 0;
  #wall = 0;
  /** What `#element` read last. */
  #ref = NONE;
  #at = 0;

  constructor(input: ByteReader, bounds: PackBounds, has: PackParts = NO_PARTS) {
    this.#mayHaveRemains = has.remains;
    this.#canonicalBytes = bounds.canonicalBytes;
    this.#count = atMost(input.varint(), bounds.nodes);
    this.#opCount = atMost(input.varint(), bounds.ops);
    const identities = readIds(input);
    const outsiders = readIds(input);
    const keys = Array.from({ length: input.count(2, this.#opCount) }, () => readKey(input));
    const stretches = Array.from({ length: input.count(4, this.#count) }, () => readStretch(input));
    this.#headers = new HeaderReader(has.headers ? input : undefined, this.#count);
    this.#columns = readColumns(input);
    this.#content = input.bytes(input.count(1, Number.MAX_SAFE_INTEGER));
    // A column of equal values takes a few bytes: what is there at once is bounded by what came, the rest grows.
    const room = input.source.length * NODES_PER_BYTE;
    const [nodes, ops] = [Math.min(this.#count, room), Math.min(this.#opCount, room)];
    this.table = new NodeTable(nodes, ops, undefined, ByteWriter.over(this.#content));
    this.#takeTables(identities, outsiders, keys, stretches);
  }

  /** Reads so many more nodes; whether there are others behind them. */
  some(most: number): boolean {
    const end = Math.min(this.#count, this.table.size + most);
    while (this.table.size < end) {
      if (this.#next()) continue;
      this.#bytes += identify(this.table);
      if (this.#bytes > this.#canonicalBytes) throw new DecodeError('the nodes of the pack exceed 256 MiB');
    }
    return end < this.#count;
  }

  /** True when the node came as a header, its id included. */
  #next(): boolean {
    const columns = this.#columns;
    const { table } = this;
    const stretch = columns.chain.next();
    if (stretch >= this.#stretches.length) throw new DecodeError('a reference points outside its table');
    const counter = this.#stretches.inserted(stretch);
    const latest = this.#stretches.latest(stretch);
    const prev = latest >= 0 ? latest : this.#prev(this.#before.values[stretch]!);
    const parents = columns.parentCount.next();
    if (parents > NODE_BOUNDS.parents) throw new DecodeError('more than 256 parents');
    for (let left = parents; left > 0; left--) table.parents.push(this.#reference(columns.parents.next()));
    const wallCode = columns.wall.next();
    if (wallCode > 0) this.#wall += unzigzag(wallCode - 1);
    if (this.#wall < 0) throw new DecodeError('a clock is before 1970');
    const ops = columns.opCount.next();
    if (ops > NODE_BOUNDS.ops || table.ops + ops > this.#opCount) throw new DecodeError('too many ops');
    const withheld = this.#headers.elementsAt(table.size);
    if (withheld !== undefined) this.#withhold(stretch, withheld, ops, wallCode);
    for (let left = ops; left > 0; left--) this.#op(stretch);
    if (withheld !== undefined && this.#stretches.inserted(stretch) !== counter + withheld)
      throw new DecodeError('a header counts other elements than its ops insert');
    const place = table.close(this.#stretches.identity(stretch), prev, counter);
    if (wallCode > 0) table.walls.set(place, this.#wall);
    this.#stretches.goOn(stretch, place);
    checkNode(table, place);
    if (withheld !== undefined) this.#headers.takeId(table);
    return withheld !== undefined;
  }

  #withhold(stretch: number, elements: number, ops: number, wallCode: number): void {
    if ((ops > 0 && !this.#mayHaveRemains) || wallCode > 0) throw new DecodeError('a header has ops or a clock');
    if (ops > 0) {
      this.#hasRemains = true;
      this.table.withheld.set(this.table.size, 0);
      return;
    }
    if (this.#stretches.inserted(stretch) > MOST_ELEMENTS - elements) throw new DecodeError('an element beyond 2^31');
    this.#stretches.skip(stretch, elements);
    this.table.withheld.set(this.table.size, elements);
  }

  /** Call when all nodes are read. */
  end(): void {
    const leftover = Object.values(this.#columns).some(({ left }) => left > 0);
    if (leftover || this.table.ops !== this.#opCount) throw new DecodeError('a column has values that no node takes');
    if (this.#hasRemains !== this.#mayHaveRemains) throw new DecodeError('no header of the pack has ops');
    if (this.#contentAt !== this.#content.length) throw new DecodeError('trailing bytes');
  }

  #takeTables(
    identities: readonly Uint8Array[],
    outsiders: readonly Uint8Array[],
    keys: readonly string[],
    stretches: readonly (readonly number[])[],
  ): void {
    const { table } = this;
    table.outside.reserve(outsiders.length * DIGEST_WORDS);
    for (const id of outsiders) {
      readWords(id, 0, table.outside.values, table.outside.length, table.outside.length + DIGEST_WORDS);
      table.outside.length += DIGEST_WORDS;
    }
    for (const [number, key] of keys.entries())
      if (table.keys.number(key) !== number) throw new DecodeError('a key is listed twice');
    const numbers = new Map<number, number>();
    for (const [room = 0, author = 0, counter = 0, prev = 0] of stretches) {
      const pair = room * identities.length + author;
      let identity = author < identities.length ? numbers.get(pair) : undefined;
      if (identity === undefined) {
        const made = new Identity(new Uint8Array(at(identities, room)), new Uint8Array(at(identities, author)));
        numbers.set(pair, (identity = table.identities.number(made)));
      }
      if (prev > MOST_ELEMENTS) throw new DecodeError('a reference points outside its table');
      this.#stretches.add(identity, checkElement(counter));
      this.#before.push(prev === 0 ? NONE : prev);
    }
  }

  /** 0 for none, else 1 + a reference, which is relative to the node that is being read. */
  #prev(code: number): number {
    return code === NONE ? NONE : this.#reference(code - 1);
  }

  #reference(code: number): number {
    if (code % 2 === 0) {
      if (code / 2 >= this.table.outside.length / DIGEST_WORDS)
        throw new DecodeError('a reference points outside its table');
      return outside(code / 2);
    }
    const place = this.table.size - 1 - (code - 1) / 2;
    if (place < 0) throw new DecodeError('a reference points outside the pack');
    return place;
  }

  #op(stretch: number): void {
    const columns = this.#columns;
    const { table } = this;
    const kind = columns.kind.next();
    const key = columns.key.next();
    if (key >= table.keys.names.length) throw new DecodeError('a reference points outside its table');
    switch (kind) {
      case OP_SET:
        this.#value();
        return table.addOp(kind, key, NONE, 0, 0, this.#contentAt);
      case OP_DELETE:
        return table.addOp(kind, key, NONE, 0, 0, this.#contentAt);
      case OP_SET_BLOB:
        this.#skip(ID_BYTES);
        return table.addOp(kind, key, NONE, 0, 0, this.#contentAt);
      case OP_TEXT_INSERT_RIGHT:
      case OP_TEXT_INSERT_LEFT: {
        this.#anchor(stretch);
        const from = this.#contentAt;
        const units = utf16Length(this.#content, from, this.#skip(columns.size.next()));
        checkInsert(kind === OP_TEXT_INSERT_LEFT, this.#ref, units);
        table.addOp(kind, key, this.#ref, this.#at, units, this.#contentAt);
        return this.#inserted(stretch, units);
      }
      case OP_LIST_INSERT_RIGHT:
      case OP_LIST_INSERT_LEFT: {
        this.#anchor(stretch);
        const count = columns.size.next();
        if (count > columns.size.left) throw new DecodeError('a column ends too early');
        for (let left = count; left > 0; left--) this.#value();
        checkInsert(kind === OP_LIST_INSERT_LEFT, this.#ref, count);
        table.addOp(kind, key, this.#ref, this.#at, count, this.#contentAt);
        return this.#inserted(stretch, count);
      }
      case OP_TEXT_DELETE:
      case OP_LIST_DELETE: {
        this.#element(columns.ref.next(), this.#stretches.expected(stretch));
        const count = columns.size.next();
        checkDeletion(this.#ref, count);
        table.addOp(kind, key, this.#ref, this.#at, count, this.#contentAt);
        if (this.#ref === OWN) this.#stretches.erase(stretch, this.#at);
        return;
      }
      case OP_LIST_MOVE_RIGHT:
      case OP_LIST_MOVE_LEFT: {
        this.#element(columns.ref.next(), this.#stretches.expected(stretch));
        const [item, offset] = [this.#ref, this.#at];
        this.#anchor(stretch);
        checkMove(kind === OP_LIST_MOVE_LEFT, item, this.#ref);
        table.addMove(kind, key, item, offset, this.#ref, this.#at);
        return this.#inserted(stretch, 1);
      }
      case OP_TEXT_MARK: {
        this.#anchor(stretch);
        const [from, offset] = [this.#ref, this.#at];
        this.#anchor(stretch);
        const sides = columns.size.next();
        checkMark(from, this.#ref, sides);
        const start = this.#contentAt;
        const content = new ByteReader(this.#content, start, this.#skip(columns.size.next()));
        readMark(content, this.#content);
        content.end();
        return table.addPair(kind, key, from, offset, sides, this.#ref, this.#at, this.#contentAt);
      }
      default:
        throw new DecodeError('unknown op');
    }
  }

  #inserted(stretch: number, count: number): void {
    if (this.#stretches.inserted(stretch) > MOST_ELEMENTS - count) throw new DecodeError('an element beyond 2^31');
    this.#stretches.insert(stretch, count);
  }

  #anchor(stretch: number): void {
    this.#element(this.#columns.ref.next(), this.#stretches.inserted(stretch) - 1);
  }

  #element(code: number, expected: number): void {
    const columns = this.#columns;
    if (code === REF_START) {
      this.#ref = NONE;
      this.#at = 0;
    } else if (code === REF_FOREIGN) {
      this.#ref = this.#reference(columns.foreignNode.next());
      this.#at = checkElement(columns.foreignOffset.next());
    } else {
      this.#ref = OWN;
      this.#at = checkElement(expected + unzigzag(code === REF_FAR ? columns.farRef.next() : code - REF_NEAR));
    }
  }

  /** Passes over content; answers where it ends. */
  #skip(length: number): number {
    if (length > this.#content.length - this.#contentAt) throw new DecodeError('unexpected end');
    return (this.#contentAt += length);
  }

  #value(): void {
    const from = this.#contentAt;
    const item = new ByteReader(this.#content, from, this.#skip(this.#columns.size.next()));
    skipValue(item);
    item.end();
  }
}

function atMost(count: number, limit: number): number {
  if (count > limit) throw new DecodeError(`count ${count} exceeds the limit ${limit}`);
  return count;
}

function readIds(input: ByteReader): Uint8Array[] {
  return Array.from({ length: input.count(ID_BYTES, Number.MAX_SAFE_INTEGER) }, () => input.bytes(ID_BYTES));
}

/** Room, author, counter, what its first node stands on. */
function readStretch(input: ByteReader): number[] {
  return [input.varint(), input.varint(), input.varint(), input.varint()];
}

function readKey(input: ByteReader): string {
  return fromUtf8(input.bytes(input.count(1, NODE_BOUNDS.keyBytes)));
}

function at<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new DecodeError('a reference points outside its table');
  return value;
}
