/**
 * Merkle tree over the entries of a room in the order of their keys. [VR3]
 *
 * A radix tree with two branches: entries part at the first bit in which they differ. Its shape follows from what it holds, whatever order
 * that came in, and a change touches the nodes above it alone. Columns hold it; numbers below zero name entries, others inner nodes.
 */
import { grownBytes } from '../../codec/bytes/growth.js';
import { DIGEST_BYTES } from '../../codec/sha256/words.js';
import { toUtf8 } from '../../codec/bytes/bytes.js';
import { Tagged } from '../state-leaf.js';
import { type EntryPlace, bitAt, comparePlaces, firstDifference, placeOf } from './entry-order.js';

/** Number of the root of a tree that holds nothing. */
export const NO_NODE = Number.MAX_SAFE_INTEGER;

const entry = new Tagged('weft-entry-v1');
const entries = new Tagged('weft-entries-v1');

export function hashOfEntry(place: EntryPlace, value: Uint8Array): Uint8Array {
  const message = entry.begin();
  message.sized(place.key);
  message.byte(place.kind);
  message.bytes(value);
  return entry.digest();
}

/** Hash over two subtrees; without any, the root of a room that holds nothing. */
export function hashOfEntries(...sides: readonly Uint8Array[]): Uint8Array {
  const message = entries.begin();
  for (const side of sides) message.bytes(side);
  return entries.digest();
}

export class EntryTree {
  #root = NO_NODE;
  #size = 0;
  readonly #keys: string[] = [];
  readonly #kinds: number[] = [];
  /** Hashes of entries, and of their values. */
  readonly #entryHashes = new Digests();
  readonly #values = new Digests();
  readonly #freeEntries: number[] = [];
  /** Bits at which inner nodes part, and what is below: [where the bit is 0, where it is 1] for each. */
  readonly #bits: number[] = [];
  readonly #below: number[] = [];
  readonly #hashes = new Digests();
  readonly #isDirty: boolean[] = [];
  readonly #freeInner: number[] = [];
  /** Inner nodes from the root down, as `#descend` took them. */
  readonly #path: number[] = [];

  get size(): number {
    return this.#size;
  }

  get rootNode(): number {
    return this.#root;
  }

  set(key: string, kind: number, value: Uint8Array): void {
    const place = placeOf(key, kind);
    const held = this.#descend(place);
    if (held === NO_NODE) {
      this.#root = this.#newEntry(key, kind, place, value);
      return;
    }
    const position = firstDifference(this.placeOf(held), place);
    if (position < 0) {
      this.#entryHashes.set(~held, hashOfEntry(place, value));
      this.#values.set(~held, value);
    } else {
      while (this.#path.length > 0 && this.#bits[this.#path.at(-1)!]! > position) this.#path.pop();
      this.#part(place, position, this.#newEntry(key, kind, place, value));
    }
    this.#soil();
  }

  delete(key: string, kind: number): void {
    const place = placeOf(key, kind);
    const held = this.#descend(place);
    if (held === NO_NODE || firstDifference(this.placeOf(held), place) >= 0) return;
    this.#freeEntries.push(~held);
    this.#size--;
    const parent = this.#path.pop();
    if (parent === undefined) {
      this.#root = NO_NODE;
      return;
    }
    const [zero, one] = this.belowOf(parent);
    this.#freeInner.push(parent);
    this.#hang(place, zero === held ? one : zero);
    this.#soil();
  }

  /** Hashes so many inner nodes at most; answers whether more are left. */
  advance(most: number): boolean {
    if (this.#root < 0 || this.#root === NO_NODE) return false;
    const stack = [this.#root];
    for (let done = 0; stack.length > 0;) {
      const node = stack.at(-1)!;
      const dirty = this.belowOf(node).filter((child) => child >= 0 && this.#isDirty[child]);
      if (!this.#isDirty[node] || dirty.length === 0) {
        stack.pop();
        if (!this.#isDirty[node]) continue;
        if (done++ >= most) return true;
        const [zero, one] = this.belowOf(node);
        this.#hashes.set(node, hashOfEntries(this.hashOf(zero), this.hashOf(one)));
        this.#isDirty[node] = false;
      } else stack.push(...dirty);
    }
    return false;
  }

  root(): Uint8Array {
    this.advance(Infinity);
    return this.#root === NO_NODE ? hashOfEntries() : this.hashOf(this.#root).slice();
  }

  /** A view; of inner nodes when `advance` has nothing left. */
  hashOf(node: number): Uint8Array {
    return node < 0 ? this.#entryHashes.get(~node) : this.#hashes.get(node);
  }

  /** Hash of the value of an entry. */
  valueOf(node: number): Uint8Array {
    return this.#values.get(~node);
  }

  keyOf(node: number): string {
    return this.#keys[~node]!;
  }

  kindOf(node: number): number {
    return this.#kinds[~node]!;
  }

  placeOf(node: number): EntryPlace {
    return { key: toUtf8(this.#keys[~node]!), kind: this.#kinds[~node]! };
  }

  belowOf(node: number): readonly [zero: number, one: number] {
    return [this.#below[2 * node]!, this.#below[2 * node + 1]!];
  }

  /** Inner nodes above an entry, from the root down. */
  above(node: number): readonly number[] {
    this.#descend(this.placeOf(node));
    return [...this.#path];
  }

  /** The last entry before a place; undefined where none is. */
  before(place: EntryPlace): number | undefined {
    const { passed, beside } = this.#around(place);
    const last =
      beside !== undefined && comparePlaces(this.placeOf(this.#end(beside, 1)), place) < 0
        ? beside
        : passed.zero.at(-1);
    return last === undefined ? undefined : this.#end(last, 1);
  }

  /** Entries from a place on, in order. */
  *from(place: EntryPlace): Generator<number> {
    const { passed, beside } = this.#around(place);
    const stack = passed.one;
    if (beside !== undefined && comparePlaces(this.placeOf(this.#end(beside, 0)), place) >= 0) stack.push(beside);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node < 0) {
        yield node;
        continue;
      }
      const [zero, one] = this.belowOf(node);
      stack.push(one, zero);
    }
  }

  /** What lies on one side of a place and the other, passed on the way to it, and the subtree that it would part from. */
  #around(place: EntryPlace): { passed: { zero: number[]; one: number[] }; beside: number | undefined } {
    const passed = { zero: [] as number[], one: [] as number[] };
    const held = this.#descend(place);
    if (held === NO_NODE) return { passed, beside: undefined };
    const position = firstDifference(this.placeOf(held), place);
    let node = this.#root;
    while (node >= 0 && (position < 0 || this.#bits[node]! < position)) {
      const [zero, one] = this.belowOf(node);
      const takesOne = bitAt(place, this.#bits[node]!) === 1;
      if (takesOne) passed.zero.push(zero);
      else passed.one.push(one);
      node = takesOne ? one : zero;
    }
    return { passed, beside: node };
  }

  /** First (0) or last (1) entry of a subtree. */
  #end(subtree: number, side: 0 | 1): number {
    let node = subtree;
    while (node >= 0) node = this.#below[2 * node + side]!;
    return node;
  }

  /** The entry that agrees longest with a place, or another one that agrees as long; the way there is in `#path`. */
  #descend(place: EntryPlace): number {
    this.#path.length = 0;
    let node = this.#root;
    while (node >= 0 && node !== NO_NODE) {
      this.#path.push(node);
      node = this.#below[2 * node + bitAt(place, this.#bits[node]!)]!;
    }
    return node;
  }

  /** Puts a new inner node below the path, which parts an entry from what was there. */
  #part(place: EntryPlace, position: number, added: number): void {
    const parent = this.#path.at(-1);
    const other = parent === undefined ? this.#root : this.#below[2 * parent + bitAt(place, this.#bits[parent]!)]!;
    const inner = this.#freeInner.pop() ?? this.#bits.length;
    this.#bits[inner] = position;
    this.#below[2 * inner + bitAt(place, position)] = added;
    this.#below[2 * inner + 1 - bitAt(place, position)] = other;
    this.#isDirty[inner] = true;
    this.#hang(place, inner);
  }

  /** Puts a subtree below the last node of the path, on the side of a place. */
  #hang(place: EntryPlace, node: number): void {
    const parent = this.#path.at(-1);
    if (parent === undefined) this.#root = node;
    else this.#below[2 * parent + bitAt(place, this.#bits[parent]!)] = node;
  }

  #soil(): void {
    for (const node of this.#path) this.#isDirty[node] = true;
  }

  #newEntry(key: string, kind: number, place: EntryPlace, value: Uint8Array): number {
    const number = this.#freeEntries.pop() ?? this.#keys.length;
    this.#keys[number] = key;
    this.#kinds[number] = kind;
    this.#entryHashes.set(number, hashOfEntry(place, value));
    this.#values.set(number, value);
    this.#size++;
    return ~number;
  }
}

/** Column of digests. */
class Digests {
  #bytes = new Uint8Array(16 * DIGEST_BYTES);

  get(number: number): Uint8Array {
    return this.#bytes.subarray(number * DIGEST_BYTES, (number + 1) * DIGEST_BYTES);
  }

  set(number: number, digest: Uint8Array): void {
    const at = number * DIGEST_BYTES;
    if (at >= this.#bytes.length) {
      const grown = new Uint8Array(grownBytes(this.#bytes.length, at + DIGEST_BYTES));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(digest, at);
  }
}
