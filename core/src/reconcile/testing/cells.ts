/** Cells and columns as tests compare them. */
import { IntColumn } from '../../codec/bytes/columns.js';
import { Cells } from '../cells.js';

/** Whole, because the words of cells are private. */
export function bytesOf(cells: Cells): Uint8Array {
  const bytes = new Uint8Array(cells.length * Cells.cellBytes(cells.words));
  cells.writeTo(bytes, 0);
  return bytes;
}

export function columnOf(values: readonly number[]): IntColumn {
  const column = new IntColumn(values.length);
  for (const value of values) column.push(value);
  return column;
}
