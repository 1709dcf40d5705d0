/** Two words as bytes, big-endian: the first eight bytes of an id, a key, a sum. */
import { IntColumn } from '../codec/bytes/columns.js';

export const SHORT_WORDS = 2;
export const SHORT_BYTES = 8;

export type Short = readonly [number, number];

export function writeShort(words: Iterable<number>): Uint8Array {
  return writeWords([...words]);
}

/** A column of words as bytes. */
export function writeShorts(column: IntColumn): Uint8Array {
  return writeWords(column.values.subarray(0, column.length));
}

export function readShort(bytes: Uint8Array): IntColumn {
  const column = new IntColumn(bytes.length / 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 4) column.push(view.getInt32(at));
  return column;
}

function writeWords(words: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < words.length; i++) view.setInt32(i * 4, words[i]!);
  return bytes;
}
