/** Keys of a table as they are written down for this machine alone, and read again. */
import type { ByteReader } from '../bytes/byte-reader.js';
import type { ByteWriter } from '../bytes/byte-writer.js';
import { fromUtf8 } from '../bytes/bytes.js';
import { IntColumn } from '../bytes/columns.js';
import { loadColumn, saveColumn } from '../bytes/saved-column.js';
import type { KeyTable } from './key-table.js';
import { expectAlike, expectEnds } from './loaded-columns.js';

const utf8 = new TextEncoder();

export function saveKeys(keys: KeyTable, out: ByteWriter): void {
  const { names } = keys;
  saveColumn(
    columnOf(names, (_, key) => keys.end(key)),
    out,
  );
  out.sized(keys.encoded.view());
  // Text is decoded fastest as one: the names follow each other, and each has so many units.
  saveColumn(
    columnOf(names, (name) => name.length),
    out,
  );
  out.sized(utf8.encode(names.join('')));
}

/** Into an empty table. */
export function loadKeys(keys: KeyTable, input: ByteReader): void {
  const [ends, lengths] = [new IntColumn(), new IntColumn()];
  loadColumn(ends, input);
  const encoded = input.sized();
  loadColumn(lengths, input);
  const names = fromUtf8(input.sized());
  expectEnds(ends, encoded.length);
  expectAlike(lengths.length, [ends]);
  for (let key = 0, at = 0, start = 0; key < lengths.length; key++) {
    const end = ends.get(key);
    keys.add(names.slice(at, (at += lengths.get(key))), encoded, start, end);
    start = end;
  }
}

function columnOf(names: readonly string[], numberOf: (name: string, key: number) => number): IntColumn {
  const column = new IntColumn(names.length);
  for (const [key, name] of names.entries()) column.push(numberOf(name, key));
  return column;
}
