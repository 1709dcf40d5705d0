/**
 * The columns of a pack. [PK2] One list names them for the writer and the reader alike, in wire order.
 *
 * Each is a column of varints; like stands next to like, so that deflate finds it. Texts and values follow as bytes.
 */
import { ByteReader } from '../bytes/byte-reader.js';
import type { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';

const COLUMNS = [
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

/**
 * A column being written: as its values, or, when that is shorter, as runs of equal ones, first their values and then
 * their lengths.
 */
class ColumnWriter {
  readonly #values: number[] = [];
  readonly #lengths: number[] = [];
  #count = 0;
  #plainBytes = 0;

  push(value: number): void {
    const last = this.#values.length - 1;
    this.#count++;
    this.#plainBytes += varintBytes(value);
    if (last >= 0 && this.#values[last] === value) this.#lengths[last]!++;
    else {
      this.#values.push(value);
      this.#lengths.push(1);
    }
  }

  finish(out: ByteWriter): void {
    let runBytes = varintBytes(this.#values.length) - 1; // plain values have a 0 there
    for (const [run, value] of this.#values.entries())
      runBytes += varintBytes(value) + varintBytes(this.#lengths[run]! - 1);
    const asRuns = runBytes < this.#plainBytes;
    out.varint(this.#count);
    out.varint(asRuns ? this.#values.length : 0);
    for (const [run, value] of this.#values.entries())
      for (let left = asRuns ? 1 : this.#lengths[run]!; left > 0; left--) out.varint(value);
    if (asRuns) for (const length of this.#lengths) out.varint(length - 1);
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

export function newColumns(): Record<ColumnName, ColumnWriter> {
  return eachColumn(() => new ColumnWriter());
}

export function writeColumns(out: ByteWriter, columns: Record<ColumnName, ColumnWriter>): void {
  for (const name of COLUMNS) columns[name].finish(out);
}

/** A column being read from its front, where it lies: nothing is allocated for its values. */
export class ColumnReader {
  #left: number;
  readonly #values: Varints;
  /** Lengths of runs, where there are runs; the first begins before the first value. */
  readonly #lengths: Varints | undefined;
  #value = 0;
  #again = 0;

  constructor(input: ByteReader) {
    this.#left = input.varint();
    const runs = input.count(2, this.#left);
    if (runs === 0 && this.#left > input.left) throw new DecodeError('count exceeds the bytes that follow');
    this.#values = new Varints(input, runs === 0 ? this.#left : runs);
    if (runs > 0) this.#lengths = new Varints(input, runs);
    if (runs > 0) this.#checkRuns(runs);
  }

  get left(): number {
    return this.#left;
  }

  next(): number {
    if (this.#left === 0) throw new DecodeError('a column ends too early');
    this.#left--;
    if (!this.#lengths) return this.#values.next();
    if (this.#again > 0) this.#again--;
    else {
      this.#value = this.#values.next();
      this.#again = this.#lengths.next();
    }
    return this.#value;
  }

  #checkRuns(runs: number): void {
    const lengths = this.#lengths?.copy();
    let sum = runs;
    for (let run = 0; lengths && run < runs; run++) sum += lengths.next();
    if (sum !== this.#left) throw new DecodeError('the runs of a column do not add up');
  }
}

/** Varints that follow each other. */
class Varints {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(input: ByteReader, count: number) {
    this.#at = input.position;
    this.#bytes = input.source;
    for (let ended = 0; ended < count;) if (input.byte() < 0x80) ended++;
  }

  copy(): Varints {
    return new Varints(new ByteReader(this.#bytes, this.#at), 0);
  }

  next(): number {
    const byte = this.#bytes[this.#at]!;
    if (byte >= 0x80) return this.#long();
    this.#at++;
    return byte;
  }

  /** The rare value of several bytes. */
  #long(): number {
    const input = new ByteReader(this.#bytes, this.#at);
    const value = input.varint();
    this.#at = input.position;
    return value;
  }
}

export function readColumns(input: ByteReader): Record<ColumnName, ColumnReader> {
  return eachColumn(() => new ColumnReader(input));
}

function eachColumn<T>(make: () => T): Record<ColumnName, T> {
  return Object.fromEntries(COLUMNS.map((name) => [name, make()])) as Record<ColumnName, T>;
}

/** Signed differences as varints: 0, -1, 1, -2, … become 0, 1, 2, 3, … */
export function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
