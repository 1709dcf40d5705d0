/**
 * Column of which the beginning is packed: its numbers are read one by one, and do not change. What is behind them is an array, as of any
 * column.
 */
import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { LogColumn } from './log-column.js';
import { BLOCK, MOST_BLOCKS, NONE, PackedNumbers, copied } from './packed-numbers.js';

const BYTES = Int32Array.BYTES_PER_ELEMENT;

class PackedColumn extends LogColumn {
  #packed: PackedNumbers;
  /** How many are packed. */
  #from: number;

  constructor(packed: PackedNumbers, rest: Int32Array) {
    super();
    this.#packed = packed;
    this.#from = packed.length;
    this.values = rest;
    this.length = this.#from + rest.length;
  }

  override get(index: number): number {
    return index < this.#from ? this.#packed.get(index) : this.values[index - this.#from]!;
  }

  override get packed(): PackedNumbers {
    return this.#packed;
  }

  override push(value: number): void {
    if (this.length - this.#from === this.values.length) this.reserve(1);
    this.values[this.length++ - this.#from] = value;
  }

  override set(index: number, value: number): void {
    if (index < this.#from) throw new Error('a number that is packed does not change');
    this.values[index - this.#from] = value;
  }

  override reserve(count: number): void {
    this.grow(this.length - this.#from, count);
  }

  override view(from = 0): Int32Array {
    if (from < this.#from) throw new Error('a number that is packed is in no array');
    return this.values.subarray(from - this.#from, this.length - this.#from);
  }

  override truncate(length: number): void {
    if (length < this.#from) {
      this.values = this.slice(0, length);
      this.#packed = NONE;
      this.#from = 0;
    }
    this.length = length;
  }

  override slice(from: number, to: number): Int32Array {
    if (from >= this.#from) return this.values.slice(from - this.#from, to - this.#from);
    return Int32Array.from({ length: to - from }, (_, i) => this.get(from + i));
  }

  override moveUp(target: number, from: number, to: number): void {
    if (this.#from > 0) throw new Error('numbers that are packed do not move');
    super.moveUp(target, from, to);
  }

  override unpacked(): LogColumn {
    return LogColumn.of(this.slice(0, this.length));
  }
}

/** A column packed as far as whole blocks reach before `end`, which changes no more; the same one where that is no block further. */
export function packColumn(column: LogColumn, end: number): LogColumn {
  const held = packedOf(column);
  if (end - held.length < BLOCK) return column;
  const packed = held.with(column, end);
  return new PackedColumn(packed, column.slice(packed.length, column.length));
}

/** A column as it is: what is packed of it, and the rest. */
export function savePacked(column: LogColumn, out: ByteWriter): void {
  const packed = packedOf(column);
  packed.save(out);
  const rest = column.slice(packed.length, column.length);
  out.varint(rest.length);
  out.bytes(new Uint8Array(rest.buffer));
}

export function loadPacked(input: ByteReader): LogColumn {
  const packed = PackedNumbers.load(input);
  const count = input.count(BYTES, MOST_BLOCKS * BLOCK);
  const rest = new Int32Array(copied(input, count * BYTES));
  return packed.length === 0 ? LogColumn.of(rest) : new PackedColumn(packed, rest);
}

function packedOf(column: LogColumn): PackedNumbers {
  return column instanceof PackedColumn ? column.packed : NONE;
}
