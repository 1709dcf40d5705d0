/**
 * The columns of a pack. [PK2] One list names them for the writer and the reader alike, in wire order.
 *
 * Each is a column of varints; like stands next to like, so that deflate finds it. Texts and values follow as bytes.
 */
import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';

export const COLUMNS = [
  'chain',
  'parentCount',
  'parents',
  'wall',
  'opCount',
  'kind',
  'key',
  'ref',
  'farRef',
  'foreignNode',
  'foreignOffset',
  'size',
] as const;

export type ColumnName = (typeof COLUMNS)[number];

/**
 * Codes of `ref`: the start, an element of another node (see the foreign columns), one far from the expected one (see
 * the column of those), or the zigzag distance from the expected one. An insertion is expected behind the element
 * that the chain inserted last, a deletion there too or beside the one deleted last: typing on and deleting on are zeros.
 */
export const REF_START = 0;
export const REF_FOREIGN = 1;
export const REF_FAR = 2;
export const REF_NEAR = 3;
/** Codes stay within one byte. */
export const NEAR_LIMIT = 0x7f - REF_NEAR;

export function newColumns(): Record<ColumnName, number[]> {
  return eachColumn(() => []);
}

export function writeColumns(out: ByteWriter, columns: Record<ColumnName, number[]>): void {
  for (const name of COLUMNS) {
    const values = columns[name];
    out.varint(values.length);
    for (const value of values) out.varint(value);
  }
}

/** A column being read from its front. */
export class Column {
  readonly #values: Float64Array;
  #at = 0;

  /** No column is longer than the bytes that follow it: nothing is allocated for what is not there. */
  constructor(input: ByteReader) {
    this.#values = new Float64Array(input.count(1, Number.MAX_SAFE_INTEGER));
    for (let i = 0; i < this.#values.length; i++) this.#values[i] = input.varint();
  }

  get left(): number {
    return this.#values.length - this.#at;
  }

  next(): number {
    const value = this.#values[this.#at];
    if (value === undefined) throw new DecodeError('a column ends too early');
    this.#at++;
    return value;
  }
}

export function readColumns(input: ByteReader): Record<ColumnName, Column> {
  return eachColumn(() => new Column(input));
}

function eachColumn<T>(make: () => T): Record<ColumnName, T> {
  return Object.fromEntries(COLUMNS.map((name) => [name, make()])) as Record<ColumnName, T>;
}

/** Which element a deletion is expected to name: the last one inserted, then on in the direction of deleting. */
export interface Erasing {
  expected: number;
  last: number;
}

export function startErasing(expected: number): Erasing {
  return { expected, last: Number.NEGATIVE_INFINITY };
}

export function erased(erasing: Erasing, element: number): void {
  erasing.expected = element + (element === erasing.last + 1 ? 1 : -1);
  erasing.last = element;
}

/** Signed differences as varints: 0, -1, 1, -2, … become 0, 1, 2, 3, … */
export function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
