/**
 * Proof of a part of a text or list: its entry by a summary, and those chunks that hold the part. [VR6]
 *
 *   entries (VR5) ‖ chunks ‖ of a marked text, chunks of its spans
 *   chunks: number of the first ‖ count ‖ each behind its length ‖ hashes of what was left out
 */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { DIGEST_BYTES } from '../../codec/sha256/words.js';
import { besideChunks, hasChunks, hashOfChunk } from './chunk-tree.js';
import {
  CHUNK,
  type ShownSpan,
  type ShownValue,
  itemChunks,
  readSpan,
  readUnits,
  spanChunks,
  textChunks,
} from './shown-value.js';

/** Bits of a number of chunks, and so the most hashes beside some of them: two for each level. */
const MOST_BESIDE = 128;

export type ShownSequence = Extract<ShownValue, { readonly form: 'text' | 'list' }>;

export interface ProvedSequence {
  readonly length: number;
  readonly root: Uint8Array;
  readonly spans?: { readonly count: number; readonly root: Uint8Array };
}

/** The chunks that hold [from, to) of a value; the part lies within it. */
export function writePart(out: ByteWriter, shown: ShownSequence, from: number, to: number): void {
  if (shown.form === 'list') return writeChunks(out, itemChunks(shown.items), from, to, CHUNK.items);
  writeChunks(out, textChunks(shown.text), from, to, CHUNK.units);
  if (shown.spans.length === 0) return;
  const [first, last] = spansAround(shown.spans, from, to);
  writeChunks(out, spanChunks(shown.spans), first, last, CHUNK.spans);
}

function writeChunks(out: ByteWriter, all: readonly Uint8Array[], from: number, to: number, size: number): void {
  const [first, end] = [Math.floor(from / size), Math.ceil(to / size)];
  out.varint(first);
  out.varint(end - first);
  for (const chunk of all.slice(first, end)) out.sized(chunk);
  for (const hash of besideChunks(all.map(hashOfChunk), first, end)) out.bytes(hash);
}

/** Numbers of the spans that touch a part of the text. */
function spansAround(spans: readonly ShownSpan[], from: number, to: number): [first: number, end: number] {
  let [at, first, end] = [0, 0, 0];
  for (const [number, { units }] of spans.entries()) {
    if (at + units <= from) first = number + 1;
    if (at < to) end = number + 1;
    at += units;
  }
  return [first, end];
}

/** Code units [from, to) of a text; throws where the chunks do not show them. */
export function readTextPart(
  input: ByteReader,
  proved: ProvedSequence,
  from: number,
  to: number,
): { readonly text: string; readonly spans: readonly ShownSpan[] } {
  const { first, told } = readChunks(input, proved.root, Math.ceil(proved.length / CHUNK.units));
  const start = first * CHUNK.units;
  const text = told.map(readUnits).join('');
  if (start > from || start + text.length < to) throw new DecodeError('the chunks of a proof do not hold the part');
  const spans = proved.spans ? readSpans(input, proved.spans, from, to) : [];
  return { text: text.slice(from - start, to - start), spans };
}

/** Items [from, to) of a list. */
export function readListPart(input: ByteReader, proved: ProvedSequence, from: number, to: number): Uint8Array[] {
  const { first, told } = readChunks(input, proved.root, Math.ceil(proved.length / CHUNK.items));
  const start = first * CHUNK.items;
  const items: Uint8Array[] = [];
  for (const chunk of told) {
    const bytes = new ByteReader(chunk);
    while (bytes.left > 0) items.push(bytes.sized());
  }
  if (start > from || start + items.length < to) throw new DecodeError('the chunks of a proof do not hold the part');
  return items.slice(from - start, to - start);
}

function readSpans(
  input: ByteReader,
  proved: NonNullable<ProvedSequence['spans']>,
  from: number,
  to: number,
): ShownSpan[] {
  const { told } = readChunks(input, proved.root, Math.ceil(proved.count / CHUNK.spans));
  const found: ShownSpan[] = [];
  let at = Infinity;
  let reached = from;
  for (const chunk of told) {
    const bytes = new ByteReader(chunk);
    at = bytes.varint();
    while (bytes.left > 0) {
      const span = readSpan(bytes);
      const [start, end] = [Math.max(at, from), Math.min(at + span.units, to)];
      at += span.units;
      if (end <= start) continue;
      if (start !== reached) throw new DecodeError('the spans of a proof leave out characters');
      reached = end;
      found.push({ units: end - start, marks: span.marks });
    }
  }
  if (reached < to) throw new DecodeError('the spans of a proof do not hold the part');
  return found;
}

function readChunks(input: ByteReader, root: Uint8Array, count: number) {
  const first = input.varint();
  const told: Uint8Array[] = [];
  for (let left = input.count(1, input.left); left > 0; left--) told.push(input.sized());
  const beside: Uint8Array[] = [];
  const missing = hashesBeside(count, first, first + told.length);
  for (let left = missing; left > 0; left--) beside.push(input.bytes(DIGEST_BYTES));
  if (!hasChunks(root, count, first, told, beside))
    throw new DecodeError('the chunks of a proof are others than were signed');
  return { first, told };
}

/** How many subtrees lie wholly outside chunks [from, to). */
function hashesBeside(count: number, from: number, to: number): number {
  if (count === 0) return 0;
  let beside = 0;
  const stack: (readonly [start: number, end: number])[] = [[0, count]];
  for (let range = stack.pop(); range; range = stack.pop()) {
    const [start, end] = range;
    if (end <= from || start >= to) beside++;
    else if (start < from || end > to) {
      const middle = start + 2 ** (Math.ceil(Math.log2(end - start)) - 1);
      stack.push([start, middle], [middle, end]);
    }
    if (beside > MOST_BESIDE) throw new DecodeError('a proof leaves out more than a tree has beside some chunks');
  }
  return beside;
}
