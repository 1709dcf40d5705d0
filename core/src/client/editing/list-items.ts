/** Items of a list by name, wherever they stand by now: what undo of a list is made of. */
import type { ElementNumber } from '../../crdt/elements.js';
import type { List } from '../../crdt/list.js';
import type { Run } from '../../crdt/runs.js';
import type { Authorship } from './authorship.js';
import { spotBefore } from './beside.js';

/** An item, and a seat that it took or left. */
export interface Seated {
  readonly item: ElementNumber;
  readonly seat: ElementNumber;
}

/** An item that is gone from a seat, and what it holds. */
export interface Left extends Seated {
  readonly value: Uint8Array;
}

export class ListItems {
  readonly #key: number;
  readonly #list: List;
  readonly #author: Authorship;

  constructor(key: number, list: List, author: Authorship) {
    this.#key = key;
    this.#list = list;
    this.#author = author;
  }

  seated(runs: readonly Run[]): Seated[] {
    return runs.flatMap(({ chain, counter, count }) =>
      Array.from({ length: count }, (_, i) => {
        const seat = { chain, counter: counter + i };
        return { seat, item: this.#list.itemOn(seat) };
      }),
    );
  }

  left(runs: readonly Run[]): Left[] {
    return this.seated(runs).map((seated) => ({ ...seated, value: this.#list.valuesOn(seated.seat, 1)[0]!.slice() }));
  }

  /** Whether an item stands on a seat, and is not deleted. */
  isOn({ item, seat }: Seated): boolean {
    const now = this.#list.seatOf(item);
    return isSame(now, seat) && !this.#list.sequence.isDeleted(seat.chain, seat.counter);
  }

  /** Whether an item is nowhere any more. */
  isGone(item: ElementNumber): boolean {
    const { chain, counter } = this.#list.seatOf(item);
    return this.#list.sequence.isDeleted(chain, counter);
  }

  delete(item: ElementNumber): void {
    this.#author.batch(() => {
      this.#list.delete(item);
      this.#author.deleteItem(this.#key, item);
    });
  }

  /** Moves an item back to where a seat is; answers the seat that it has now. */
  moveTo(item: ElementNumber, seat: ElementNumber): ElementNumber {
    const { sequence } = this.#list;
    const now = { chain: this.#author.chain, counter: this.#author.counter };
    const [parent, side] = spotBefore(sequence, seat);
    sequence.insert(now.chain, now.counter, 1, parent.chain, parent.counter, side);
    this.#author.moveItem(this.#key, item, sequence);
    return now;
  }

  /** Inserts anew what an item held, where its seat was; answers which item it is now. */
  restore({ seat, value }: Left): ElementNumber {
    const { sequence } = this.#list;
    const item = { chain: this.#author.chain, counter: this.#author.counter };
    const [parent, side] = spotBefore(sequence, seat);
    sequence.insert(item.chain, item.counter, 1, parent.chain, parent.counter, side);
    this.#author.insertItem(this.#key, sequence, value);
    return item;
  }
}

export function isSame(a: ElementNumber, b: ElementNumber): boolean {
  return a.chain === b.chain && a.counter === b.counter;
}
