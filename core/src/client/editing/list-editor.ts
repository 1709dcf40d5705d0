/** Editor of one list of a replica. */
import { DecodeError } from '../../codec/bytes/bytes.js';
import { decodeValue, encodeValue } from '../../codec/bytes/msgpack.js';
import { NODE_BOUNDS } from '../../codec/nodes/canonical-node.js';
import type { List } from '../../crdt/list.js';
import { Rejection } from '../../rejection.js';
import { type Authorship, checkRange } from './authorship.js';

export class ListEditor {
  readonly #key: number;
  readonly #list: List;
  readonly #author: Authorship;
  readonly #begin: () => void;

  /** `begin` is called before something comes into an empty list, and may refuse it. */
  constructor(key: number, list: List, author: Authorship, begin: () => void) {
    this.#begin = begin;
    this.#key = key;
    this.#list = list;
    this.#author = author;
  }

  get length(): number {
    return this.#list.length;
  }

  toArray(): unknown[] {
    this.#author.flush();
    return this.#list.values().map(decodeValue);
  }

  insert(position: number, ...items: readonly unknown[]): void {
    checkRange(position, 0, this.length);
    this.#insert(position, items);
  }

  push(...items: readonly unknown[]): void {
    this.#insert(this.length, items);
  }

  /** Items as one argument: a call takes a bounded number of them, and whoever calls this has used up some. */
  #insert(position: number, items: readonly unknown[]): void {
    if (this.length === 0) this.#begin();
    const { sequence } = this.#list;
    const values = items.map(encodeItem);
    this.#author.whole(() => {
      for (const [offset, value] of values.entries()) {
        sequence.insertAt(position + offset, this.#author.chain, this.#author.counter, 1);
        this.#author.insertItem(this.#key, sequence, value);
      }
    });
  }

  delete(position: number, count = 1): void {
    checkRange(position, count, this.length);
    this.#author.whole(() => {
      for (let i = 0; i < count; i++) {
        const item = this.#list.itemAt(position);
        this.#list.delete(item);
        this.#author.deleteItem(this.#key, item);
      }
    });
  }

  /** `to` is where the item stands afterwards. */
  move(from: number, to: number): void {
    checkRange(from, 1, this.length);
    checkRange(to, 1, this.length);
    if (from === to) return;
    const item = this.#list.itemAt(from);
    const { sequence } = this.#list;
    sequence.insertAt(to > from ? to + 1 : to, this.#author.chain, this.#author.counter, 1);
    this.#author.moveItem(this.#key, item, sequence);
  }
}

function encodeItem(item: unknown): Uint8Array {
  try {
    const value = encodeValue(item);
    if (value.length > NODE_BOUNDS.bytes - 2 * NODE_BOUNDS.keyBytes) throw new DecodeError('an item exceeds 1 MiB');
    return value;
  } catch (error) {
    throw new Rejection('invalid-value', `the item cannot be stored: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
}
