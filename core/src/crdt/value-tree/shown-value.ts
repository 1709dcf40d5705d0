/**
 * A value as it reads, and the hash of it: what a register holds, the characters and marks of a text, the items of a list. Elements,
 * authors and what is hidden have no part in it; the state hash covers those. [VR1]
 */
import type { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError, fromUtf8, toUtf8 } from '../../codec/bytes/bytes.js';
import { DIGEST_BYTES } from '../../codec/sha256/words.js';
import { Tagged } from '../state-leaf.js';
import { decodeUnits } from '../text.js';
import { hashOfChunk, rootOfChunks } from './chunk-tree.js';

/** Marks of some code units, by name in the order of UTF-16; none where they are unmarked. */
export interface ShownSpan {
  readonly units: number;
  readonly marks: readonly (readonly [name: string, value: Uint8Array])[];
}

export type ShownValue =
  | { readonly form: 'bytes'; readonly bytes: Uint8Array }
  | { readonly form: 'blob'; readonly hash: Uint8Array }
  | {
      readonly form: 'text';
      readonly text: string;
      /** None of a text that shows no marks. */ readonly spans: readonly ShownSpan[];
    }
  | { readonly form: 'list'; readonly items: readonly Uint8Array[] };

/** What a value's hash is made of: of a long text or list, how long it is and the roots of its chunks. */
export type Summary =
  | { readonly form: 'bytes' | 'blob'; readonly bytes: Uint8Array }
  | {
      readonly form: 'text' | 'list';
      readonly length: number;
      readonly root: Uint8Array;
      readonly spans?: SpansSummary;
    };

interface SpansSummary {
  readonly count: number;
  readonly root: Uint8Array;
}

const FORMS = { bytes: 0, blob: 1, text: 2, markedText: 3, list: 4 } as const;
/** Code units, items and spans in a chunk. */
export const CHUNK = { units: 1024, items: 64, spans: 64 } as const;

const value = new Tagged('weft-value-v1');

export function hashOfValue(shown: ShownValue): Uint8Array {
  return hashOfSummary(summaryOf(shown));
}

export function hashOfSummary(summary: Summary): Uint8Array {
  writeSummary(value.begin(), summary);
  return value.digest();
}

export function summaryOf(shown: ShownValue): Summary {
  switch (shown.form) {
    case 'bytes':
      return shown;
    case 'blob':
      return { form: 'blob', bytes: shown.hash };
    case 'list':
      return { form: 'list', length: shown.items.length, root: rootOf(itemChunks(shown.items)) };
    case 'text': {
      const { text, spans } = shown;
      const plain = { form: 'text', length: text.length, root: rootOf(textChunks(text)) } as const;
      return spans.length === 0 ? plain : { ...plain, spans: { count: spans.length, root: rootOf(spanChunks(spans)) } };
    }
  }
}

const rootOf = (all: readonly Uint8Array[]) => rootOfChunks(all.map(hashOfChunk));

/** Form and content, as they are hashed and stand in proofs. */
export function writeSummary(out: ByteWriter, summary: Summary): void {
  out.byte(formOf(summary));
  if (!('root' in summary)) return out.bytes(summary.bytes);
  out.varint(summary.length);
  out.bytes(summary.root);
  if (!summary.spans) return;
  out.varint(summary.spans.count);
  out.bytes(summary.spans.root);
}

function formOf(summary: Summary): number {
  return summary.form === 'text' && summary.spans ? FORMS.markedText : FORMS[summary.form];
}

/** Reads what stands for a value that is not told whole. A register has no summary: its bytes are told or not. */
export function readSummary(input: ByteReader): Summary {
  const form = input.byte();
  if (form === FORMS.blob) return { form: 'blob', bytes: input.bytes(DIGEST_BYTES) };
  if (form !== FORMS.text && form !== FORMS.markedText && form !== FORMS.list)
    throw new DecodeError(`form ${form} of a value has no summary`);
  const plain = {
    form: form === FORMS.list ? ('list' as const) : ('text' as const),
    length: input.varint(),
    root: input.bytes(DIGEST_BYTES),
  };
  if (form !== FORMS.markedText) return plain;
  return { ...plain, spans: { count: input.varint(), root: input.bytes(DIGEST_BYTES) } };
}

/** The value whole, behind its form. */
export function writeShown(out: ByteWriter, shown: ShownValue): void {
  switch (shown.form) {
    case 'bytes':
      out.byte(FORMS.bytes);
      return out.sized(shown.bytes);
    case 'blob':
      out.byte(FORMS.blob);
      return out.bytes(shown.hash);
    case 'list':
      out.byte(FORMS.list);
      out.varint(shown.items.length);
      for (const item of shown.items) out.sized(item);
      return;
    case 'text':
      out.byte(shown.spans.length === 0 ? FORMS.text : FORMS.markedText);
      out.varint(shown.text.length);
      writeUnits(out, shown.text, 0, shown.text.length);
      if (shown.spans.length === 0) return;
      out.varint(shown.spans.length);
      for (const span of shown.spans) writeSpan(out, span);
  }
}

export function readShown(input: ByteReader): ShownValue {
  const form = input.byte();
  if (form === FORMS.bytes) return { form: 'bytes', bytes: input.sized() };
  if (form === FORMS.blob) return { form: 'blob', hash: input.bytes(DIGEST_BYTES) };
  if (form === FORMS.list) {
    const items: Uint8Array[] = [];
    for (let left = input.count(1, input.left); left > 0; left--) items.push(input.sized());
    return { form: 'list', items };
  }
  if (form !== FORMS.text && form !== FORMS.markedText) throw new DecodeError(`unknown form ${form} of a value`);
  const text = readUnits(input.bytes(input.count(2, input.left) * 2));
  const spans: ShownSpan[] = [];
  if (form === FORMS.markedText)
    for (let left = input.count(2, input.left); left > 0; left--) spans.push(readSpan(input));
  if (form === FORMS.markedText && spans.length === 0) throw new DecodeError('a marked text has no spans');
  return { form: 'text', text, spans };
}

export function textChunks(text: string): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (let from = 0; from < text.length; from += CHUNK.units) {
    const out = new ByteWriter(CHUNK.units * 2);
    writeUnits(out, text, from, Math.min(from + CHUNK.units, text.length));
    all.push(out.view());
  }
  return all;
}

export function itemChunks(items: readonly Uint8Array[]): Uint8Array[] {
  return grouped(items, CHUNK.items).map((some) => {
    const out = new ByteWriter();
    for (const item of some) out.sized(item);
    return out.view();
  });
}

/** Each begins with how many code units stand before it. */
export function spanChunks(spans: readonly ShownSpan[]): Uint8Array[] {
  let before = 0;
  return grouped(spans, CHUNK.spans).map((some) => {
    const out = new ByteWriter();
    out.varint(before);
    for (const span of some) {
      writeSpan(out, span);
      before += span.units;
    }
    return out.view();
  });
}

function grouped<T>(all: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let from = 0; from < all.length; from += size) groups.push(all.slice(from, from + size));
  return groups;
}

function writeSpan(out: ByteWriter, { units, marks }: ShownSpan): void {
  out.varint(units);
  out.varint(marks.length);
  for (const [name, held] of marks) {
    out.sized(toUtf8(name));
    out.sized(held);
  }
}

export function readSpan(input: ByteReader): ShownSpan {
  const units = input.varint();
  const marks: (readonly [string, Uint8Array])[] = [];
  for (let left = input.count(2, input.left); left > 0; left--) marks.push([fromUtf8(input.sized()), input.sized()]);
  return { units, marks };
}

/** UTF-16 code units, big-endian; half a pair too. */
function writeUnits(out: ByteWriter, text: string, from: number, to: number): void {
  const units = new Uint16Array(to - from);
  for (let at = from; at < to; at++) units[at - from] = text.charCodeAt(at);
  out.units(units, 0, units.length);
}

export function readUnits(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length / 2);
  for (let at = 0; at < units.length; at++) units[at] = (bytes[2 * at]! << 8) | bytes[2 * at + 1]!;
  return decodeUnits(units, true);
}
