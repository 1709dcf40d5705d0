/** Columns as they are in this machine's memory: for what never leaves it. Only who keeps whole tables loads this. */
import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import type { IntColumn } from './columns.js';

const BYTES = Int32Array.BYTES_PER_ELEMENT;
const MOST_VALUES = 2 ** 29;

export function saveColumn({ values, length }: IntColumn, out: ByteWriter): void {
  out.varint(length);
  out.bytes(new Uint8Array(values.buffer, 0, length * BYTES));
}

/** In place of all values that the column has. */
export function loadColumn(column: IntColumn, input: ByteReader): void {
  column.length = input.count(BYTES, MOST_VALUES);
  column.values = new Int32Array(column.length + 8);
  new Uint8Array(column.values.buffer).set(input.bytes(column.length * BYTES));
}
