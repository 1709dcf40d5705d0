/**
 * Hash index of a column of ids, which place holds an id: open addressing over the first two words.
 *
 * Ids are hashes, but their authors can choose among many: the slot also depends on numbers that are drawn anew in each
 * process, so nobody can prepare many ids that collide. The index follows its column when it is asked, so a column that nobody
 * searches costs nothing.
 */
import type { IntColumn } from '../bytes/columns.js';
import { DIGEST_WORDS } from '../sha256/words.js';

const SALT = new Int32Array(2);
globalThis.crypto.getRandomValues(SALT);

export class IdIndex {
  readonly #ids: IntColumn;
  /** Place + 1, or 0 where nothing is. */
  #slots = new Int32Array(16);
  #shift = 28;
  #indexed = 0;
  #hasRepeats = false;

  constructor(ids: IntColumn) {
    this.#ids = ids;
  }

  /** Whether two places hold the same id. */
  get hasRepeats(): boolean {
    this.#follow();
    return this.#hasRepeats;
  }

  /** The first place that holds the id at `words[at]`, or -1. */
  find(words: Int32Array, at: number): number {
    this.#follow();
    const { values } = this.#ids;
    const mask = this.#slots.length - 1;
    for (let slot = this.#slotOf(words, at); ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1;
      if (place < 0) return -1;
      if (equalIds(values, place * DIGEST_WORDS, words, at)) return place;
    }
  }

  /** The first places of all ids that begin with these two words. */
  beginning(first: number, second: number): number[] {
    this.#follow();
    const { values } = this.#ids;
    const mask = this.#slots.length - 1;
    const found: number[] = [];
    for (let slot = this.#slotAt(first, second); this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1;
      if (values[place * DIGEST_WORDS] === first && values[place * DIGEST_WORDS + 1] === second) found.push(place);
    }
    return found;
  }

  /** Forgets the places from `size` on, before the column does: in the opposite order, so no search path breaks. */
  truncate(size: number): void {
    const { values } = this.#ids;
    const mask = this.#slots.length - 1;
    while (this.#indexed > size) {
      const place = --this.#indexed;
      for (let slot = this.#slotOf(values, place * DIGEST_WORDS); this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
        if (this.#slots[slot] !== place + 1) continue;
        this.#slots[slot] = 0;
        break;
      }
    }
  }

  #follow(): void {
    const places = this.#ids.length / DIGEST_WORDS;
    for (; this.#indexed < places; this.#indexed++) {
      if ((this.#indexed + 1) * 2 > this.#slots.length) this.#grow();
      this.#put(this.#indexed);
    }
  }

  /** An id that is there already keeps its first place. */
  #put(place: number): void {
    const { values } = this.#ids;
    const mask = this.#slots.length - 1;
    let slot = this.#slotOf(values, place * DIGEST_WORDS);
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (equalIds(values, (this.#slots[slot]! - 1) * DIGEST_WORDS, values, place * DIGEST_WORDS)) {
        this.#hasRepeats = true;
        return;
      }
    }
    this.#slots[slot] = place + 1;
  }

  /** For all ids of the column at once. */
  #grow(): void {
    let size = this.#slots.length * 2;
    while (size < (this.#ids.length / DIGEST_WORDS) * 2) size *= 2;
    this.#slots = new Int32Array(size);
    this.#shift = Math.clz32(size) + 1;
    for (let place = 0; place < this.#indexed; place++) this.#put(place);
  }

  #slotOf(words: Int32Array, at: number): number {
    return this.#slotAt(words[at]!, words[at + 1]!);
  }

  #slotAt(first: number, second: number): number {
    const mixed = Math.imul(first ^ SALT[0]!, 0x9e3779b1);
    return (mixed + Math.imul(second ^ SALT[1]!, 0x85ebca6b)) >>> this.#shift;
  }
}

export function equalIds(a: Int32Array, atA: number, b: Int32Array, atB: number): boolean {
  for (let i = 0; i < DIGEST_WORDS; i++) if (a[atA + i] !== b[atB + i]) return false;
  return true;
}

/** Bytewise order: negative, zero or positive. */
export function compareIdWords(a: Int32Array, atA: number, b: Int32Array, atB: number): number {
  for (let i = 0; i < DIGEST_WORDS; i++) {
    const difference = (a[atA + i]! >>> 0) - (b[atB + i]! >>> 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
