/**
 * Cells that ids are added to: how many (modulo 2^16), the xor of them, and the xor of their check words. What two sets
 * have in common cancels out when their cells are subtracted; a cell that holds one id is recognised by its check word,
 * and taking that id out of its other cells uncovers more. [RC2]
 *
 * Invariant: cells follow from the set alone, whatever the order. Adding costs O(cells) that an id falls into. Decoding is total:
 * it gives every id of the difference with its side, or undefined, in at most 64 steps for each cell.
 */
import { IntColumn } from '../codec/bytes/columns.js';

/** Chooses the cells that an id is added to: ascending, below `length`. */
export type CellsOf = (ids: Int32Array, at: number, length: number, chosen: IntColumn) => void;

const COUNT = 0;
const CHECK = 1;
const SUM = 2;
const COUNT_BYTES = 2;
const WORD_BYTES = 4;
/** Ids that somebody made up may fall into any number of cells. */
const STEPS_PER_CELL = 64;

/** The ids of a difference end to end, by the side that has them. */
export interface Sides {
  readonly theirs: IntColumn;
  readonly ours: IntColumn;
}

export class Cells {
  readonly length: number;
  /** Words of an id. */
  readonly words: number;
  readonly #stride: number;
  readonly #values: Int32Array;

  constructor(length: number, words: number, values?: Int32Array) {
    this.length = length;
    this.words = words;
    this.#stride = SUM + words;
    this.#values = values ?? new Int32Array(length * this.#stride);
  }

  static cellBytes(words: number): number {
    return COUNT_BYTES + (words + 1) * WORD_BYTES;
  }

  get memory(): number {
    return this.#values.byteLength;
  }

  /** Adds the id at `ids[at]` to these cells, or takes it out for a sign of -1. */
  toggle(ids: Int32Array, at: number, chosen: IntColumn, sign: 1 | -1): void {
    const values = this.#values;
    const check = checkOf(ids, at, this.words);
    for (let i = 0; i < chosen.length; i++) {
      const cell = chosen.values[i]! * this.#stride;
      values[cell + COUNT]! += sign;
      values[cell + CHECK]! ^= check;
      for (let word = 0; word < this.words; word++) values[cell + SUM + word]! ^= ids[at + word]!;
    }
  }

  /** A copy of cells [from, to). */
  slice(from: number, to: number): Cells {
    return new Cells(to - from, this.words, this.#values.slice(from * this.#stride, to * this.#stride));
  }

  /** These cells and then those of the other. */
  followedBy(other: Cells): Cells {
    const both = new Int32Array(this.#values.length + other.#values.length);
    both.set(this.#values);
    both.set(other.#values, this.#values.length);
    return new Cells(this.length + other.length, this.words, both);
  }

  /** Half as many cells, so many times: each next two as one. */
  folded(times: number): Cells {
    const fewer = new Cells(this.length >> times, this.words);
    for (let cell = 0; cell < this.length; cell++) fewer.#add(cell >> times, this, cell, 1);
    return fewer;
  }

  /** What is in the one set and not in the other: ours count -1. */
  static difference(theirs: Cells, ours: Cells): Cells {
    const difference = theirs.slice(0, theirs.length);
    for (let cell = 0; cell < theirs.length; cell++) difference.#add(cell, ours, cell, -1);
    return difference;
  }

  #add(cell: number, other: Cells, from: number, sign: 1 | -1): void {
    const at = cell * this.#stride;
    const source = from * this.#stride;
    this.#values[at + COUNT]! += sign * other.#values[source + COUNT]!;
    for (let i = CHECK; i < this.#stride; i++) this.#values[at + i]! ^= other.#values[source + i]!;
  }

  /** How many more ids theirs has, or has less, of a difference below 2^15. */
  countAt(cell: number): number {
    return (this.#values[cell * this.#stride + COUNT]! << 16) >> 16;
  }

  /** The xor of the ids of a cell. */
  sumAt(cell: number): Int32Array {
    const at = cell * this.#stride + SUM;
    return this.#values.slice(at, at + this.words);
  }

  /** The ids of a difference; undefined when they cannot all be told. What is here is used up. */
  peel(cellsOf: CellsOf): Sides | undefined {
    const sides: Sides = { theirs: new IntColumn(), ours: new IntColumn() };
    const waiting = new IntColumn(this.length);
    for (let cell = this.length - 1; cell >= 0; cell--) waiting.push(cell);
    const chosen = new IntColumn(32);
    const id = new Int32Array(this.words);
    let left = this.length * STEPS_PER_CELL;
    let found = 0;
    while (waiting.length > 0) {
      const cell = waiting.values[--waiting.length]!;
      const sign = this.#single(cell, id);
      if (sign === 0) continue;
      chosen.length = 0;
      cellsOf(id, 0, this.length, chosen);
      left -= chosen.length;
      if (++found > this.length || left < 0) return undefined;
      this.toggle(id, 0, chosen, sign === 1 ? -1 : 1);
      for (const word of id) (sign === 1 ? sides.theirs : sides.ours).push(word);
      for (let i = 0; i < chosen.length; i++) waiting.push(chosen.values[i]!);
    }
    return this.#isEmpty() ? sides : undefined;
  }

  /** 1 or -1, with the id, when the cell holds one alone; else 0. */
  #single(cell: number, id: Int32Array): number {
    const count = this.countAt(cell);
    if (count !== 1 && count !== -1) return 0;
    const at = cell * this.#stride;
    for (let word = 0; word < this.words; word++) id[word] = this.#values[at + SUM + word]!;
    return checkOf(id, 0, this.words) === this.#values[at + CHECK] ? count : 0;
  }

  #isEmpty(): boolean {
    for (let cell = 0; cell < this.length; cell++) {
      if (this.countAt(cell) !== 0) return false;
      for (let i = CHECK; i < this.#stride; i++) if (this.#values[cell * this.#stride + i] !== 0) return false;
    }
    return true;
  }

  /** Each cell: count (2) ‖ sum ‖ check word (4), big-endian. */
  writeTo(bytes: Uint8Array, from: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = from;
    for (let cell = 0; cell < this.length; cell++) {
      const value = cell * this.#stride;
      view.setUint16(at, this.#values[value + COUNT]! & 0xffff);
      at += COUNT_BYTES;
      for (let word = 0; word < this.words; word++, at += WORD_BYTES)
        view.setInt32(at, this.#values[value + SUM + word]!);
      view.setInt32(at, this.#values[value + CHECK]!);
      at += WORD_BYTES;
    }
  }

  /** Reads as many whole cells as there are behind `from`. */
  static read(bytes: Uint8Array, from: number, words: number): Cells {
    const cells = new Cells(Math.floor((bytes.length - from) / Cells.cellBytes(words)), words);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = from;
    for (let value = 0; value < cells.#values.length; value += cells.#stride) {
      cells.#values[value + COUNT] = view.getUint16(at);
      at += COUNT_BYTES;
      for (let word = 0; word < words; word++, at += WORD_BYTES) cells.#values[value + SUM + word] = view.getInt32(at);
      cells.#values[value + CHECK] = view.getInt32(at);
      at += WORD_BYTES;
    }
    return cells;
  }
}

/** Not linear in xor: the check of several ids is not the xor of theirs but by chance. [RC2] */
export function checkOf(ids: Int32Array, at: number, words: number): number {
  let check = 0x2545f491;
  for (let word = at; word < at + words; word++) {
    check = Math.imul(check ^ ids[word]!, 0x85ebca6b);
    check ^= check >>> 13;
  }
  check = Math.imul(check, 0xc2b2ae35);
  return check ^ (check >>> 16);
}
