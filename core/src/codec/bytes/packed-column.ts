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

  constructor(packed: PackedNumbers, rest: Int32Array) {
    super();
    this.#packed = packed;
    this.start = packed.length;
    this.values = rest;
    this.length = this.start + rest.length;
  }

  override get(index: number): number {
    return index < this.start ? this.#packed.get(index) : this.values[index - this.start]!;
  }

  override get packed(): PackedNumbers {
    return this.#packed;
  }

  override push(value: number): void {
    if (this.length - this.start === this.values.length) this.reserve(1);
    this.values[this.length++ - this.start] = value;
  }

  override set(index: number, value: number): void {
    if (index < this.start) throw new Error('a number that is packed does not change');
    this.values[index - this.start] = value;
  }

  override reserve(count: number): void {
    this.grow(this.length - this.start, count);
  }

  override whole(): Int32Array {
    if (this.start > 0) throw new Error('a number that is packed is in no array');
    return this.values;
  }

  override truncate(length: number): void {
    if (length < this.start) {
      this.values = this.slice(0, length);
      this.#packed = NONE;
      this.start = 0;
    }
    this.length = length;
  }

  override slice(from: number, to: number): Int32Array {
    if (from >= this.start) return this.values.slice(from - this.start, to - this.start);
    return Int32Array.from({ length: to - from }, (_, i) => this.get(from + i));
  }

  override moveUp(target: number, from: number, to: number): void {
    if (this.start > 0) throw new Error('numbers that are packed do not move');
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
