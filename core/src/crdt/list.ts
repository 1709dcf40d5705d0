/**
 * A list: a sequence of places, each held by an item. [LS]
 *
 * An item is the element that its insert made; moving it makes a new place and the greatest move wins, by (lamport,
 * author, node id, counter). Places that an item has left, or never got, are hidden. A place once lost is never won
 * back, because the winner is a maximum, so hiding is final.
 */
import type { ByteWriter } from '../codec/byte-writer.js';
import { fromHex } from '../codec/bytes.js';
import type { Elements } from './elements.js';
import { Sequence } from './sequence/sequence.js';

interface Place {
  readonly chain: number;
  readonly counter: number;
}

interface Item extends Place {
  /** Where it stands now. */
  place: Place;
  /** Where it stood before the last move that won. */
  previous: Place;
  moved: boolean;
  deleted: boolean;
}

export class List {
  readonly sequence: Sequence;
  readonly #elements: Elements;
  readonly #items = new Map<string, Item>();
  /** The item of each place that a move made. */
  readonly #movedHere = new Map<string, Item>();

  constructor(elements: Elements) {
    this.#elements = elements;
    this.sequence = new Sequence(elements.compare);
  }

  get length(): number {
    return this.sequence.length;
  }

  /** MessagePack bytes of the items, in order. */
  values(): Uint8Array[] {
    const values: Uint8Array[] = [];
    this.sequence.forEachSpan((chain, counter, count, deleted) => {
      for (let i = 0; !deleted && i < count; i++) {
        const item = this.#itemAt({ chain, counter: counter + i });
        const value = item && this.#elements.item(item.chain, item.counter);
        if (value) values.push(value);
      }
    });
    return values;
  }

  /** The item at a visible position. */
  itemAt(position: number): Place {
    this.sequence.elementAt(position);
    const place = { chain: this.sequence.foundChain, counter: this.sequence.foundCounter };
    return this.#itemAt(place) ?? place;
  }

  /** Elements that were just inserted into the sequence are items. */
  inserted(chain: number, counter: number, count: number): void {
    for (let i = 0; i < count; i++) {
      const place = { chain, counter: counter + i };
      this.#items.set(nameOf(place), { ...place, place, previous: place, moved: false, deleted: false });
    }
  }

  has(chain: number, counter: number): boolean {
    return this.#items.has(nameOf({ chain, counter }));
  }

  delete(chain: number, counter: number): void {
    const item = this.#items.get(nameOf({ chain, counter }));
    if (!item || item.deleted) return;
    item.deleted = true;
    this.sequence.delete(item.place.chain, item.place.counter, 1);
  }

  /**
   * The element `to`, which was just inserted into the sequence, is a new place for an item. Answers whether the item
   * stands there now, and which move it had to be weighed against.
   */
  moved(chain: number, counter: number, to: Place): { readonly won: boolean; readonly place: Place | undefined } {
    const item = this.#items.get(nameOf({ chain, counter }));
    if (!item) throw new Error('a move of an item that is not there');
    this.#movedHere.set(nameOf(to), item);
    const rival = item.moved ? item.place : undefined;
    const wins = !rival || this.#beats(to, rival);
    const left = wins ? item.place : to;
    this.sequence.delete(left.chain, left.counter, 1);
    if (!wins) return { won: false, place: rival };
    if (item.deleted) this.sequence.delete(to.chain, to.counter, 1);
    item.previous = item.place;
    item.place = to;
    item.moved = true;
    return { won: true, place: rival };
  }

  /** The places of an item that its last move or its deletion changed. */
  eachPlaceOf(item: Place | undefined, visit: (chain: number, counter: number) => void): void {
    const found = item && this.#items.get(nameOf(item));
    for (const { chain, counter } of found ? [found.place, found.previous] : []) visit(chain, counter);
  }

  /** For hashes: the items of a run of elements, or which item a place was made for. */
  writeContent(out: ByteWriter, chain: number, counter: number, count: number): void {
    for (let i = 0; i < count; i++) {
      const value = this.#elements.item(chain, counter + i);
      const moved = this.#movedHere.get(nameOf({ chain, counter: counter + i }));
      const inserter = moved && this.#elements.nodeOf(moved.chain, moved.counter);
      out.byte(value ? 1 : moved ? 2 : 0);
      if (value) {
        out.varint(value.length);
        out.bytes(value);
      } else if (moved && inserter) {
        out.bytes(fromHex(inserter.node.id));
        out.varint(moved.counter - inserter.counter);
      }
    }
  }

  #beats(a: Place, b: Place): boolean {
    return this.#elements.compare(a.chain, a.counter, b.chain, b.counter) > 0;
  }

  #itemAt(place: Place): Item | undefined {
    return this.#movedHere.get(nameOf(place)) ?? this.#items.get(nameOf(place));
  }
}

function nameOf({ chain, counter }: Place): string {
  return `${chain}:${counter}`;
}
