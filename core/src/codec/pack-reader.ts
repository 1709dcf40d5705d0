/** The columns of a pack back into nodes. [PK2] Total: nodes, or one `DecodeError`. */
import { ByteReader } from './byte-reader.js';
import { DecodeError, fromUtf8 } from './bytes.js';
import { ID_BYTES, NODE_BOUNDS, type NodeFields } from './canonical-node.js';
import { readValue } from './msgpack.js';
import { type Anchor, type ElementRef, KINDS, type Op, elementsOf } from './op.js';
import {
  type Column,
  type ColumnName,
  type Erasing,
  REF_FAR,
  REF_FOREIGN,
  REF_NEAR,
  REF_START,
  erased,
  readColumns,
  startErasing,
  unzigzag,
} from './pack-columns.js';

/** A stretch of one chain: nodes of the pack in which each is the `prev` of the next. */
interface Stretch {
  readonly room: Uint8Array;
  readonly author: Uint8Array;
  /** 0 for none, else 1 + a reference. */
  readonly prev: number;
  /** Place of its latest node, elements inserted up to now, and the element expected to be deleted next. */
  latest: number;
  inserted: number;
  erasing: Erasing;
}

export interface ReadNode extends NodeFields {
  readonly counter: number;
}

export class PackReader {
  readonly count: number;
  readonly #opCount: number;
  readonly #outside: readonly Uint8Array[];
  readonly #keys: readonly string[];
  readonly #stretches: readonly Stretch[];
  readonly #columns: Record<ColumnName, Column>;
  readonly #content: ByteReader;
  readonly #idOf: (place: number) => Uint8Array | undefined;
  #place = 0;
  #ops = 0;
  #wall = 0;

  /** `idOf` answers the id of an earlier node, which the caller has computed by then. */
  constructor(
    input: ByteReader,
    bounds: { readonly nodes: number; readonly ops: number },
    idOf: (place: number) => Uint8Array | undefined,
  ) {
    this.#idOf = idOf;
    this.count = input.count(4, bounds.nodes);
    this.#opCount = input.count(2, bounds.ops);
    const identities = readIds(input);
    this.#outside = readIds(input);
    this.#keys = Array.from({ length: input.count(2, this.#opCount) }, () => readKey(input));
    this.#stretches = Array.from({ length: input.count(4, this.count) }, () => readStretch(input, identities));
    this.#columns = readColumns(input);
    this.#content = new ByteReader(input.bytes(input.count(1, Number.MAX_SAFE_INTEGER)));
  }

  next(): ReadNode {
    const columns = this.#columns;
    const stretch = at(this.#stretches, columns.chain.next());
    const { room, author, inserted: counter } = stretch;
    const prev = this.#prev(stretch);
    const parents = this.#parents(columns.parentCount.next());
    const wallCode = columns.wall.next();
    if (wallCode > 0) this.#wall += unzigzag(wallCode - 1);
    if (this.#wall < 0) throw new DecodeError('a clock is before 1970');
    const ops = this.#takeOps(columns.opCount.next(), stretch);
    stretch.latest = this.#place++;
    const wallMs = wallCode > 0 ? { wallMs: this.#wall } : {};
    return { room, author, ...(prev ? { prev } : {}), parents, ...wallMs, ops, counter };
  }

  /** Call when all nodes are read. */
  end(): void {
    const leftover = Object.values(this.#columns).some(({ left }) => left > 0);
    if (leftover || this.#ops !== this.#opCount) throw new DecodeError('a column has values that no node takes');
    this.#content.end();
  }

  #prev(stretch: Stretch): Uint8Array | undefined {
    if (stretch.latest >= 0) return this.#idOf(stretch.latest);
    return stretch.prev === 0 ? undefined : this.#reference(stretch.prev - 1);
  }

  #parents(count: number): Uint8Array[] {
    if (count > NODE_BOUNDS.parents) throw new DecodeError('more than 256 parents');
    return Array.from({ length: count }, () => this.#reference(this.#columns.parents.next()));
  }

  #reference(code: number): Uint8Array {
    if (code % 2 === 0) return at(this.#outside, code / 2);
    const id = this.#idOf(this.#place - 1 - (code - 1) / 2);
    if (!id) throw new DecodeError('a reference points outside the pack');
    return id;
  }

  #takeOps(count: number, stretch: Stretch): Op[] {
    this.#ops += count;
    if (count > NODE_BOUNDS.ops || this.#ops > this.#opCount) throw new DecodeError('too many ops');
    const ops: Op[] = [];
    for (let i = 0; i < count; i++) {
      const op = this.#op(stretch);
      ops.push(op);
      const elements = elementsOf(op);
      stretch.inserted += elements;
      if (elements > 0) stretch.erasing = startErasing(stretch.inserted - 1);
      else if ('last' in op && typeof op.last === 'number') erased(stretch.erasing, op.last);
    }
    return ops;
  }

  #op(stretch: Stretch): Op {
    const columns = this.#columns;
    const kind = columns.kind.next();
    const key = at(this.#keys, columns.key.next());
    switch (kind) {
      case KINDS.set:
        return { kind: 'set', key, value: this.#value() };
      case KINDS.delete:
        return { kind: 'delete', key };
      case KINDS['set-blob']:
        return { kind: 'set-blob', key, hash: this.#content.bytes(ID_BYTES) };
      case KINDS['text-insert-right']:
      case KINDS['text-insert-left']: {
        const anchor = this.#anchor(kind === KINDS['text-insert-left'], stretch);
        return { kind: 'text-insert', key, anchor, text: fromUtf8(this.#content.bytes(columns.size.next())) };
      }
      case KINDS['list-insert-right']:
      case KINDS['list-insert-left']: {
        const anchor = this.#anchor(kind === KINDS['list-insert-left'], stretch);
        const count = columns.size.next();
        if (count > columns.size.left) throw new DecodeError('a column ends too early');
        return { kind: 'list-insert', key, anchor, values: Array.from({ length: count }, () => this.#value()) };
      }
      case KINDS['text-delete']:
        return { kind: 'text-delete', key, last: this.#element(stretch), count: columns.size.next() };
      case KINDS['list-delete']:
        return { kind: 'list-delete', key, last: this.#element(stretch), count: columns.size.next() };
      case KINDS['list-move-right']:
      case KINDS['list-move-left']: {
        const item = this.#element(stretch);
        return { kind: 'list-move', key, item, anchor: this.#anchor(kind === KINDS['list-move-left'], stretch) };
      }
      default:
        throw new DecodeError('unknown op');
    }
  }

  #anchor(left: boolean, stretch: Stretch): Anchor {
    const code = this.#columns.ref.next();
    return {
      ref: code === REF_START ? null : this.#elementOf(code, stretch.inserted - 1),
      side: left ? 'left' : 'right',
    };
  }

  #element(stretch: Stretch): ElementRef {
    const code = this.#columns.ref.next();
    if (code === REF_START) throw new DecodeError('the start is no element');
    return this.#elementOf(code, stretch.erasing.expected);
  }

  #elementOf(code: number, expected: number): ElementRef {
    const columns = this.#columns;
    if (code === REF_FOREIGN) {
      return { node: this.#reference(columns.foreignNode.next()), offset: columns.foreignOffset.next() };
    }
    const counter = expected + unzigzag(code === REF_FAR ? columns.farRef.next() : code - REF_NEAR);
    if (counter < 0) throw new DecodeError('an element before the first');
    return counter;
  }

  #value(): Uint8Array {
    const value = this.#content.bytes(this.#columns.size.next());
    const item = new ByteReader(value);
    readValue(item, value);
    item.end();
    return value;
  }
}

function readIds(input: ByteReader): Uint8Array[] {
  return Array.from({ length: input.count(ID_BYTES, Number.MAX_SAFE_INTEGER) }, () => input.bytes(ID_BYTES));
}

function readStretch(input: ByteReader, identities: readonly Uint8Array[]): Stretch {
  const [room, author] = [at(identities, input.varint()), at(identities, input.varint())];
  const counter = input.varint();
  return { room, author, prev: input.varint(), latest: -1, inserted: counter, erasing: startErasing(counter - 1) };
}

function readKey(input: ByteReader): string {
  return fromUtf8(input.bytes(input.count(1, NODE_BOUNDS.keyBytes)));
}

function at<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new DecodeError('a reference points outside its table');
  return value;
}
