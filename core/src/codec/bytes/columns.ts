/**
 * Growable columns of numbers: what would be a field of a million small objects is one typed array.
 *
 * `values` is replaced when it grows: read it anew after each push.
 */
import { grownBytes } from './growth.js';

const BYTES = Int32Array.BYTES_PER_ELEMENT;

const NOTHING = new Int32Array(0);
/** The room that the first value makes. */
const FIRST_VALUES = 8;

export class IntColumn {
  values: Int32Array;
  length = 0;

  /** A room has dozens of columns, most of them empty in most rooms: such a one costs next to nothing. */
  constructor(capacity = 0) {
    this.values = capacity === 0 ? NOTHING : new Int32Array(capacity);
  }

  get(index: number): number {
    return this.values[index]!;
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(1);
    this.values[this.length++] = value;
  }

  /** Makes room for so many more values; what lies behind `length` is anything. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.values.length) return;
    const bytes = grownBytes(this.values.byteLength, Math.max(needed, FIRST_VALUES) * BYTES);
    const grown = new Int32Array(Math.ceil(bytes / BYTES));
    grown.set(this.values.subarray(0, this.length));
    this.values = grown;
  }

  /** Makes it so long, with zeros where nothing was. */
  extendTo(length: number): void {
    if (length <= this.length) return;
    this.reserve(length - this.length);
    this.values.fill(0, this.length, length);
    this.length = length;
  }

  truncate(length: number): void {
    this.length = length;
  }
}
