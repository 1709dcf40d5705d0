/**
 * Column of a log: a number for each of its nodes or ops, in their order. What lies at its beginning and changes no more may be packed:
 * then another column, which is read alike, takes its place (`packed-column.ts`).
 *
 * Who packs is elsewhere: a page, whose rooms are small, does not load it, and asks an array and nothing else.
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
  /** Those that are not packed, and room for more: the n-th stands at n - `start`. Another array takes its place when it grows. */
  values: Int32Array;
  /** How many stand in no array, as they are packed. */
  start = 0;

  constructor(capacity = 0) {
    this.values = capacity === 0 ? NOTHING : new Int32Array(capacity);
  }

  /** A column of these, which are not copied. */
  static of(values: Int32Array): LogColumn {
    const column = new LogColumn();
    column.values = values;
    column.length = values.length;
    return column;
  }

  get(index: number): number {
    return this.values[index]!;
  }

  /** What is packed; undefined while nothing is. */
  get packed(): Packed | undefined {
    return undefined;
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(1);
    this.values[this.length++] = value;
  }

  /** One that is not packed: `unpacked` comes first where it may be. */
  set(index: number, value: number): void {
    this.values[index] = value;
  }

  /** Makes room for so many more; what lies behind `length` is anything. */
  reserve(count: number): void {
    this.grow(this.length, count);
  }

  /** The array of all numbers, of which none is packed, with room for more: for loops over a whole pack. No view of it is made, as many packs are small. */
  whole(): Int32Array {
    return this.values;
  }

  truncate(length: number): void {
    this.length = length;
  }

  /** A copy of some. */
  slice(from: number, to: number): Int32Array {
    return this.values.slice(from, to);
  }

  /** Moves some to where the column ends so far, in a column of which nothing is packed. */
  moveUp(target: number, from: number, to: number): void {
    this.values.copyWithin(target, from, to);
  }

  /** A column of the same numbers, of which each may change: this one, unless some are packed. */
  unpacked(): LogColumn {
    return this;
  }

  protected grow(held: number, count: number): void {
    const needed = held + count;
    if (needed <= this.values.length) return;
    const bytes = grownBytes(this.values.byteLength, Math.max(needed, FIRST_NUMBERS) * BYTES);
    const grown = new Int32Array(Math.ceil(bytes / BYTES));
    grown.set(this.values.subarray(0, held));
    this.values = grown;
  }
}

/** All of a column in pieces: of what is not packed nothing is known before it is read. */
export function* piecesOf({ packed, length }: Numbers): Generator<Piece> {
  if (packed) yield* packed.pieces();
  const from = packed?.length ?? 0;
  const unknown = { base: Number.NEGATIVE_INFINITY, step: 0, above: Infinity };
  if (length > from) yield { from, to: length, ...unknown };
}
