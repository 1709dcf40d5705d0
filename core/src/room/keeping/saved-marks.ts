/**
 * Marks of texts as they are resolved, for whoever has no log to work them out from: pieces of each marked text in order, with
 * names and values. [CP2]
 *
 *   count ‖ for each text: number of its key ‖ count ‖ for each piece: length ‖ count ‖ names and values, behind their lengths
 */
import type { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError, fromUtf8, toUtf8 } from '../../codec/bytes/bytes.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import type { Document } from '../../crdt/document.js';
import { type MarkRun, type Span, runsIn } from '../../crdt/mark-runs.js';

/** Text of a snapshot in pieces that are marked alike: how many code units, and what they are marked as. */
export interface SavedPiece {
  readonly length: number;
  readonly marks: Readonly<Record<string, unknown>>;
}

/** False, and nothing is written, when no character of any text is marked. */
export function writeMarks(out: ByteWriter, keys: readonly string[], values: Document): boolean {
  const texts = [...keys.entries()].flatMap(([key, name]) => {
    const text = values.markedText(name);
    const pieces = text?.marks ? runsIn(text) : [];
    return pieces.some((piece) => saidIn(piece).length > 0) ? [{ key, pieces }] : [];
  });
  if (texts.length === 0) return false;
  out.varint(texts.length);
  for (const { key, pieces } of texts) {
    out.varint(key);
    out.varint(pieces.length);
    for (const piece of pieces) writePiece(out, piece);
  }
  return true;
}

function writePiece(out: ByteWriter, piece: MarkRun): void {
  const said = saidIn(piece);
  out.varint(piece.to - piece.from);
  out.varint(said.length);
  for (const { name, value } of said) {
    out.sized(toUtf8(name));
    out.sized(value);
  }
}

/** Names in order; what only says that a mark was taken away is left out. */
function saidIn({ marks }: MarkRun): { readonly name: string; readonly value: Uint8Array }[] {
  return [...marks.keys()].sort().flatMap((name) => {
    const value = marks.get(name)?.value;
    return value ? [{ name, value }] : [];
  });
}

/** By key. Throws a `DecodeError` for pieces that are not those of the texts. */
export function readMarks(input: ByteReader, keys: readonly string[], values: Document): Map<string, SavedPiece[]> {
  const marked = new Map<string, SavedPiece[]>();
  for (let left = input.count(2, keys.length); left > 0; left--) {
    const key = keys[input.varint()];
    const text = key === undefined ? undefined : values.textNamed(key);
    if (key === undefined || !text) throw new DecodeError('a snapshot has marks of no text');
    const pieces = Array.from({ length: input.count(2, text.length) }, () => readPiece(input));
    if (pieces.reduce((sum, { length }) => sum + length, 0) !== text.length)
      throw new DecodeError('a snapshot has marks of another text');
    marked.set(key, pieces);
  }
  return marked;
}

function readPiece(input: ByteReader): SavedPiece {
  const length = input.varint();
  const marks: [string, unknown][] = [];
  for (let left = input.count(2, input.left); left > 0; left--)
    marks.push([fromUtf8(input.sized()), decodeValue(input.sized())]);
  // Own properties, whatever the names.
  return { length, marks: Object.fromEntries(marks) };
}

/** A text as spans. */
export function spansIn(text: string, pieces: readonly SavedPiece[] | undefined): Span[] {
  if (!pieces) return text === '' ? [] : [{ text, marks: {} }];
  let at = 0;
  return pieces.map(({ length, marks }) => ({ text: text.slice(at, (at += length)), marks }));
}
