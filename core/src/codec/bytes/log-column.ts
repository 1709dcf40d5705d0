/**
 * Column of a log: a number for each of its nodes or ops, in their order. What lies at its beginning and changes no more may be packed,
 * and is read one by one then; what is behind it is an array, as of any column.
 *
 * Who packs is elsewhere: a page, whose rooms are small, does not load it.
 */
import { grownBytes } from './growth.js';

const BYTES = Int32Array.BYTES_PER_ELEMENT;
const NOTHING = new Int32Array(0);
/** Room that the first number makes. */
const FIRST_NUMBERS = 8;

/** Part of a column, of which each number lies on a line or up to so much above it. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly base: number;
  readonly step: number;
  readonly above: number;
}

/** Numbers that do not change, packed. */
export interface Packed {
  readonly length: number;
  get(index: number): number;
  pieces(): Iterable<Piece>;
}

/** What is read of a column. */
export interface Numbers {
  readonly length: number;
  readonly packed?: Packed | undefined;
  get(index: number): number;
}

export class LogColumn implements Numbers {
  length = 0;
  #rest: Int32Array;
  /** Numbers that are packed. */
  #from = 0;
  #packed: Packed | undefined;

  constructor(capacity = 0) {
    this.#rest = capacity === 0 ? NOTHING : new Int32Array(capacity);
  }

  get(index: number): number {
    return index < this.#from ? this.#packed!.get(index) : this.#rest[index - this.#from]!;
  }

  /** The last number. */
  get last(): number {
    return this.get(this.length - 1);
  }

  /** What is packed; undefined while nothing is. */
  get packed(): Packed | undefined {
    return this.#packed;
  }

  push(value: number): void {
    if (this.length - this.#from === this.#rest.length) this.reserve(1);
    this.#rest[this.length++ - this.#from] = value;
  }

  /** One that is not packed: `unpack` comes first where it may be. */
  set(index: number, value: number): void {
    if (index < this.#from) throw new Error('a number that is packed does not change');
    this.#rest[index - this.#from] = value;
  }

  /** Makes room for so many more; what lies behind `length` is anything. */
  reserve(count: number): void {
    const needed = this.length - this.#from + count;
    if (needed <= this.#rest.length) return;
    const bytes = grownBytes(this.#rest.byteLength, Math.max(needed, FIRST_NUMBERS) * BYTES);
    const grown = new Int32Array(Math.ceil(bytes / BYTES));
    grown.set(this.#rest.subarray(0, this.length - this.#from));
    this.#rest = grown;
  }

  /** Adds so many zeros, and answers the array that holds them, until more are added. */
  extend(count: number): Int32Array {
    this.reserve(count);
    const start = this.length - this.#from;
    this.length += count;
    return this.#rest.subarray(start, start + count);
  }

  truncate(length: number): void {
    if (length < this.#from) this.take(this.slice(0, length));
    else this.length = length;
  }

  /** A copy of some. */
  slice(from: number, to: number): Int32Array {
    if (from >= this.#from) return this.#rest.slice(from - this.#from, to - this.#from);
    return Int32Array.from({ length: to - from }, (_, i) => this.get(from + i));
  }

  /** Moves some to where the column ends so far, in a column of which nothing is packed. */
  moveUp(target: number, from: number, to: number): void {
    this.#rest.copyWithin(target, from, to);
  }

  /** Takes what is packed of it: its first numbers, and what was packed before. */
  pack(packed: Packed): void {
    this.take(this.slice(packed.length, this.length), packed);
  }

  /** Holds these from now on, behind what is packed. */
  take(rest: Int32Array, packed?: Packed): void {
    this.#rest = rest;
    this.#packed = packed;
    this.#from = packed?.length ?? 0;
    this.length = this.#from + rest.length;
  }

  /** Makes all of it an array again, so that each number may change. */
  unpack(): void {
    if (this.#packed) this.take(this.slice(0, this.length));
  }
}

/** All of a column in pieces: of what is not packed nothing is known before it is read. */
export function* piecesOf({ packed, length }: Numbers): Generator<Piece> {
  if (packed) yield* packed.pieces();
  const from = packed?.length ?? 0;
  const unknown = { base: Number.NEGATIVE_INFINITY, step: 0, above: Number.POSITIVE_INFINITY };
  if (length > from) yield { from, to: length, ...unknown };
}
