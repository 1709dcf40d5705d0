/** Nodes into the columns of a pack. [PK2] */
import { ByteWriter } from './byte-writer.js';
import { toHex, toUtf8 } from './bytes.js';
import type { NodeFields } from './canonical-node.js';
import { type Anchor, type ElementRef, KINDS, type Op, elementsOf, kindOf } from './op.js';
import {
  type Erasing,
  NEAR_LIMIT,
  REF_FAR,
  REF_FOREIGN,
  REF_NEAR,
  REF_START,
  erased,
  newColumns,
  startErasing,
  writeColumns,
  zigzag,
} from './pack-columns.js';

export interface PackedNode extends NodeFields {
  readonly id: Uint8Array;
  /** Elements that the node's chain had inserted before it. */
  readonly counter: number;
}

/** A stretch of one chain: nodes of the pack in which each is the `prev` of the next. */
interface Stretch {
  readonly room: number;
  readonly author: number;
  readonly counter: number;
  /** 0 for none, else 1 + a reference. */
  readonly prev: number;
  /** Id of its latest node, elements inserted up to now, and the element expected to be deleted next. */
  latest: string;
  inserted: number;
  erasing: Erasing;
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

export class PackWriter {
  readonly #identities = new Table<Uint8Array>();
  readonly #outside = new Table<Uint8Array>();
  readonly #keys = new Table<string>();
  readonly #stretches: Stretch[] = [];
  readonly #columns = newColumns();
  readonly #content = new ByteWriter(1024);
  /** Place and stretch of each node of the pack, by id. */
  readonly #placed = new Map<string, { readonly place: number; readonly stretch: number }>();
  #wall = 0;
  #ops = 0;

  add(node: PackedNode): void {
    const columns = this.#columns;
    const place = this.#placed.size;
    const number = this.#stretchFor(node, place);
    const stretch = this.#stretches[number] as Stretch;
    columns.chain.push(number);
    columns.parentCount.push(node.parents.length);
    for (const parent of node.parents) columns.parents.push(this.#reference(parent, place));
    columns.wall.push(node.wallMs === undefined ? 0 : zigzag(node.wallMs - this.#wall) + 1);
    this.#wall = node.wallMs ?? this.#wall;
    columns.opCount.push(node.ops.length);
    for (const op of node.ops) this.#addOp(op, stretch, place);
    stretch.latest = toHex(node.id);
    this.#placed.set(stretch.latest, { place, stretch: number });
  }

  finish(out: ByteWriter): void {
    out.varint(this.#placed.size);
    out.varint(this.#ops);
    for (const table of [this.#identities, this.#outside]) {
      out.varint(table.values.length);
      for (const bytes of table.values) out.bytes(bytes);
    }
    out.varint(this.#keys.values.length);
    for (const key of this.#keys.values) writeSized(out, toUtf8(key));
    out.varint(this.#stretches.length);
    for (const { room, author, counter, prev } of this.#stretches) {
      for (const value of [room, author, counter, prev]) out.varint(value);
    }
    writeColumns(out, this.#columns);
    writeSized(out, this.#content.finish());
  }

  /** The stretch that ends in the node's `prev`, or a new one. */
  #stretchFor(node: PackedNode, place: number): number {
    const prev = node.prev && toHex(node.prev);
    const before = prev === undefined ? undefined : this.#placed.get(prev);
    const { counter } = node;
    const room = this.#identities.number(toHex(node.room), node.room);
    const author = this.#identities.number(toHex(node.author), node.author);
    const last = before && this.#stretches[before.stretch];
    // A pack may also hold nodes that break the rules of chains: they are for admission to refuse.
    const goesOn = last?.latest === prev && last?.room === room && last.author === author && last.inserted === counter;
    if (before && goesOn) return before.stretch;
    this.#stretches.push({
      room,
      author,
      counter,
      prev: node.prev ? 1 + this.#reference(node.prev, place) : 0,
      latest: '',
      inserted: counter,
      erasing: startErasing(counter - 1),
    });
    return this.#stretches.length - 1;
  }

  /** Even: the n-th id outside the pack. Odd: so many places back. */
  #reference(id: Uint8Array, place: number): number {
    const name = toHex(id);
    const found = this.#placed.get(name);
    return found === undefined ? this.#outside.number(name, id) * 2 : (place - found.place - 1) * 2 + 1;
  }

  #addOp(op: Op, stretch: Stretch, place: number): void {
    const columns = this.#columns;
    this.#ops++;
    columns.kind.push(KINDS[kindOf(op)]);
    columns.key.push(this.#keys.number(op.key, op.key));
    switch (op.kind) {
      case 'set':
        return this.#sized(op.value);
      case 'delete':
        return;
      case 'set-blob':
        return this.#content.bytes(op.hash);
      case 'text-insert':
        this.#anchor(op.anchor, stretch, place);
        this.#sized(toUtf8(op.text));
        return inserted(stretch, elementsOf(op));
      case 'list-insert':
        this.#anchor(op.anchor, stretch, place);
        columns.size.push(op.values.length);
        for (const value of op.values) this.#sized(value);
        return inserted(stretch, elementsOf(op));
      case 'text-delete':
      case 'list-delete':
        this.#element(op.last, stretch.erasing.expected, place);
        columns.size.push(op.count);
        if (typeof op.last === 'number') erased(stretch.erasing, op.last);
        return;
      case 'list-move':
        this.#element(op.item, stretch.erasing.expected, place);
        this.#anchor(op.anchor, stretch, place);
        return inserted(stretch, 1);
    }
  }

  #anchor({ ref }: Anchor, stretch: Stretch, place: number): void {
    if (ref === null) this.#columns.ref.push(REF_START);
    else this.#element(ref, stretch.inserted - 1, place);
  }

  #element(ref: ElementRef, expected: number, place: number): void {
    const columns = this.#columns;
    if (typeof ref !== 'number') {
      columns.ref.push(REF_FOREIGN);
      columns.foreignNode.push(this.#reference(ref.node, place));
      columns.foreignOffset.push(ref.offset);
      return;
    }
    const distance = zigzag(ref - expected);
    columns.ref.push(distance < NEAR_LIMIT ? REF_NEAR + distance : REF_FAR);
    if (distance >= NEAR_LIMIT) columns.farRef.push(distance);
  }

  #sized(bytes: Uint8Array): void {
    this.#columns.size.push(bytes.length);
    this.#content.bytes(bytes);
  }
}

function inserted(stretch: Stretch, count: number): void {
  stretch.inserted += count;
  stretch.erasing = startErasing(stretch.inserted - 1);
}

function writeSized(out: ByteWriter, bytes: Uint8Array): void {
  out.varint(bytes.length);
  out.bytes(bytes);
}
