/**
 * A list: a sequence of seats, each held by an item. [LS]
 *
 * An item is the element that its insert made; moving it takes a new seat and the greatest move wins, by (lamport,
 * author, node id, counter). Seats that an item has left, or never got, are hidden. A seat once lost is never won
 * back, because the winner is a maximum, so hiding is final. Only items that were moved are remembered one by one.
 */
import type { ByteReader } from '../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError } from '../codec/bytes/bytes.js';
import type { ElementNumber, Elements } from './elements.js';
import { Sequence } from './sequence/sequence.js';
import { readSequence, writeSequence } from './sequence/snapshot-bytes.js';
import { MAX_ELEMENTS } from './sequence/span-layout.js';

interface MovedItem extends ElementNumber {
  /** Seat where it is now. */
  seat: ElementNumber;
  /** Seat where it was before the last move that won. */
  previous: ElementNumber;
  deleted: boolean;
}

export class List {
  #sequence: Sequence;
  readonly #elements: Elements;
  readonly #moved = new Map<number, MovedItem>();
  /** The item of each seat that a move made. */
  readonly #movedHere = new Map<number, MovedItem>();

  /** Values as they were saved, until the graph is there again. */
  #saved: readonly Uint8Array[] | undefined;

  constructor(elements: Elements, sequence = new Sequence(elements.compare)) {
    this.#elements = elements;
    this.#sequence = sequence;
  }

  get sequence(): Sequence {
    return this.#sequence;
  }

  /** Forgets everything, as if nothing had been written. */
  clear(): void {
    this.#sequence = new Sequence(this.#elements.compare);
    this.#moved.clear();
    this.#movedHere.clear();
    this.#saved = undefined;
  }

  save(out: ByteWriter): void {
    this.saveSeats(out);
    const values = this.values();
    out.varint(values.length);
    for (const value of values) out.sized(value);
  }

  /** Saves which item is on which seat, beside a graph that is saved as well. */
  saveSeats(out: ByteWriter): void {
    writeSequence(out, this.sequence.save());
    out.varint(this.#moved.size);
    for (const item of this.#moved.values()) {
      for (const { chain, counter } of [item, item.seat, item.previous]) {
        out.varint(chain);
        out.varint(counter);
      }
      out.byte(item.deleted ? 1 : 0);
    }
    // Seats that a move made and lost, too: they name the item all the same.
    out.varint(this.#movedHere.size);
    for (const [seat, { chain, counter }] of this.#movedHere) {
      out.varint(seat);
      out.varint(chain);
      out.varint(counter);
    }
  }

  static load(input: ByteReader, elements: Elements): List {
    const list = List.loadSeats(input, elements);
    list.#saved = Array.from({ length: input.count(1, MAX_ELEMENTS) }, () => input.sized());
    if (list.#saved.length !== list.length) throw new DecodeError('a saved list has other items than places');
    return list;
  }

  static loadSeats(input: ByteReader, elements: Elements): List {
    const list = new List(elements, Sequence.load(elements.compare, readSequence(input), false));
    const readNumber = (): ElementNumber => ({ chain: input.varint(), counter: input.varint() });
    for (let left = input.count(7, MAX_ELEMENTS); left > 0; left--) {
      const item = readNumber();
      const moved = { ...item, seat: readNumber(), previous: readNumber(), deleted: input.byte() === 1 };
      list.#moved.set(nameOf(item), moved);
    }
    for (let left = input.count(3, MAX_ELEMENTS); left > 0; left--) {
      const seat = input.varint();
      const item = list.#moved.get(nameOf(readNumber()));
      if (!item) throw new DecodeError('a saved list names an item that was not moved');
      list.#movedHere.set(seat, item);
    }
    return list;
  }

  /** The graph is there again. */
  wake(): void {
    this.#saved = undefined;
  }

  get length(): number {
    return this.sequence.length;
  }

  /** MessagePack bytes of the items, in order. */
  values(): readonly Uint8Array[] {
    if (this.#saved) return this.#saved;
    const values: Uint8Array[] = [];
    this.sequence.forEachSpan((chain, counter, count, deleted) => {
      if (!deleted) this.#eachItem(chain, counter, count, (value) => values.push(value));
    });
    return values;
  }

  /** The item at a visible position. */
  itemAt(position: number): ElementNumber {
    this.sequence.elementAt(position);
    return this.itemOn({ chain: this.sequence.foundChain, counter: this.sequence.foundCounter });
  }

  /** The item whose seat an element is, or was. */
  itemOn(seat: ElementNumber): ElementNumber {
    return this.#movedHere.get(nameOf(seat)) ?? seat;
  }

  /** The seat where an item is, or was when it was deleted. */
  seatOf(item: ElementNumber): ElementNumber {
    return this.#moved.get(nameOf(item))?.seat ?? item;
  }

  /** MessagePack bytes of the items on consecutive seats. */
  valuesOn(seat: ElementNumber, count: number): readonly Uint8Array[] {
    const values: Uint8Array[] = [];
    this.#eachItem(seat.chain, seat.counter, count, (value) => values.push(value));
    return values;
  }

  has(item: ElementNumber): boolean {
    return this.sequence.has(item.chain, item.counter) && !this.#movedHere.has(nameOf(item));
  }

  delete(item: ElementNumber): void {
    if (!this.has(item)) return;
    const moved = this.#moved.get(nameOf(item));
    if (moved?.deleted) return;
    if (moved) moved.deleted = true;
    const { chain, counter } = moved?.seat ?? item;
    this.sequence.delete(chain, counter, 1);
  }

  /**
   * The element `to`, which was just inserted into the sequence, is a new seat for an item. Answers whether the item
   * stands there now, and which move it had to be weighed against.
   */
  move(item: ElementNumber, to: ElementNumber): { readonly won: boolean; readonly rival: ElementNumber | undefined } {
    const known = this.#moved.get(nameOf(item));
    const moved = known ?? { ...item, seat: item, previous: item, deleted: this.#isDeleted(item) };
    this.#moved.set(nameOf(item), moved);
    this.#movedHere.set(nameOf(to), moved);
    const rival = known?.seat;
    const wins = !rival || this.#elements.compare(to.chain, to.counter, rival.chain, rival.counter) > 0;
    const left = wins ? moved.seat : to;
    this.sequence.delete(left.chain, left.counter, 1);
    if (!wins) return { won: false, rival };
    if (moved.deleted) this.sequence.delete(to.chain, to.counter, 1);
    moved.previous = moved.seat;
    moved.seat = to;
    return { won: true, rival };
  }

  /** The seats of an item that its last move or its deletion changed. */
  seatsOf(item: ElementNumber): readonly ElementNumber[] {
    const moved = this.#moved.get(nameOf(item));
    return moved ? [moved.seat, moved.previous] : [item];
  }

  /** Writes for hashes the items of visible seats; of a moved one also which item it is. */
  writeContent(out: ByteWriter, chain: number, counter: number, count: number): void {
    this.#eachItem(chain, counter, count, (value, moved) => {
      out.byte(moved ? 1 : 0);
      if (moved) this.#elements.writeName(out, moved.chain, moved.counter);
      out.varint(value.length);
      out.bytes(value);
    });
  }

  /** The items of visible seats, in the order of their counters. */
  #eachItem(
    chain: number,
    from: number,
    count: number,
    visit: (value: Uint8Array, moved?: ElementNumber) => void,
  ): void {
    if (this.#movedHere.size === 0) return this.#elements.eachItem(chain, from, count, visit);
    for (let counter = from; counter < from + count; counter++) {
      const moved = this.#movedHere.get(nameOf({ chain, counter }));
      const item = moved ?? { chain, counter };
      this.#elements.eachItem(item.chain, item.counter, 1, (value) => visit(value, moved));
    }
  }

  #isDeleted({ chain, counter }: ElementNumber): boolean {
    return this.sequence.isDeleted(chain, counter);
  }
}

function nameOf({ chain, counter }: ElementNumber): number {
  return chain * (MAX_ELEMENTS + 1) + counter;
}
