/** Edits one list of a replica. */
import { DecodeError, toUtf8 } from '../codec/bytes.js';
import { NODE_BOUNDS, checkKey } from '../codec/canonical-node.js';
import { decodeValue, encodeValue } from '../codec/msgpack.js';
import type { Op } from '../codec/op.js';
import type { List } from '../crdt/list.js';
import { Rejection } from '../rejection.js';
import { type Authorship, anchorOf, checkRange } from './authorship.js';

export class ListEditor {
  readonly #list: List;
  readonly #author: Authorship;

  constructor(list: List, author: Authorship) {
    this.#list = list;
    this.#author = author;
  }

  get length(): number {
    return this.#list.length;
  }

  toArray(): unknown[] {
    return this.#list.values().map(decodeValue);
  }

  insert(position: number, ...items: readonly unknown[]): void {
    checkRange(position, 0, this.length);
    const values = items.map((item) => encodeItem(this.#author.key, item));
    values.forEach((value, offset) => {
      const { chain, counter } = this.#author.next();
      const { sequence } = this.#list;
      sequence.insertAt(position + offset, chain, counter, 1);
      this.#list.inserted(chain, counter, 1);
      const anchor = anchorOf(sequence, this.#author);
      this.#author.write([{ kind: 'list-insert', key: this.#author.key, anchor, values: [value] }]);
    });
  }

  push(...items: readonly unknown[]): void {
    this.insert(this.length, ...items);
  }

  delete(position: number, count = 1): void {
    checkRange(position, count, this.length);
    const { key } = this.#author;
    for (let i = 0; i < count; i++) {
      const item = this.#list.itemAt(position);
      const op: Op = { kind: 'list-delete', key, last: this.#author.refTo(item.chain, item.counter), count: 1 };
      this.#list.delete(item.chain, item.counter);
      this.#author.write([op]);
    }
  }

  /** `to` is where the item stands afterwards. */
  move(from: number, to: number): void {
    checkRange(from, 1, this.length);
    checkRange(to, 1, this.length);
    if (from === to) return;
    const { key } = this.#author;
    const item = this.#list.itemAt(from);
    const { chain, counter } = this.#author.next();
    const { sequence } = this.#list;
    sequence.insertAt(to > from ? to + 1 : to, chain, counter, 1);
    const anchor = anchorOf(sequence, this.#author);
    const op: Op = { kind: 'list-move', key, item: this.#author.refTo(item.chain, item.counter), anchor };
    this.#author.write([op]);
  }
}

function encodeItem(key: string, item: unknown): Uint8Array {
  try {
    checkKey(key);
    toUtf8(key);
    const value = encodeValue(item);
    if (value.length > NODE_BOUNDS.bytes - 2 * NODE_BOUNDS.keyBytes) throw new DecodeError('an item exceeds 1 MiB');
    return value;
  } catch (error) {
    throw new Rejection('invalid-value', `the item cannot be stored: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
}
