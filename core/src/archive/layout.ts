/**
 * Layout of an archive on disk: a zip of few entries, all stored as they are, in an order that is always the same. [AR2]
 *
 * Everything but the contents follows from names, sizes and checksums, down to the last byte: so a reader makes it again and
 * compares, and nothing can hide between entries, lie over another one or inflate. Nothing is deflated: packs are already.
 * There is no zip64, which bounds an archive to 4 GiB.
 */
import { concatBytes, toUtf8 } from '../codec/bytes/bytes.js';

export interface Entry {
  readonly name: string;
  readonly size: number;
  readonly crc32: number;
}

export const MOST_BYTES = 0xffff_ffff;
export const END_BYTES = 22;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
export const DESCRIPTOR_BYTES = 16;

const VERSION = 20;
/** Sizes stand behind the content; names are UTF-8. */
const FLAGS = 0x0808;
/** The first of January 1980: when it was made stands in the manifest. */
const DATE = 0x0021;

/** Head of an entry, before its content. */
export function headOf({ name }: Pick<Entry, 'name'>): Uint8Array {
  const encoded = toUtf8(name);
  const out = new Fields(LOCAL_BYTES);
  out.long(0x04034b50).short(VERSION).short(FLAGS).short(0).short(0).short(DATE);
  out.long(0).long(0).long(0).short(encoded.length).short(0);
  return concatBytes([out.bytes, encoded]);
}

/** Foot of an entry, behind its content. */
export function descriptorOf({ size, crc32 }: Entry): Uint8Array {
  return new Fields(DESCRIPTOR_BYTES).long(0x08074b50).long(crc32).long(size).long(size).bytes;
}

/** Bytes of an entry with what stands around its content. */
export function spanOf({ name, size }: Pick<Entry, 'name' | 'size'>): number {
  return LOCAL_BYTES + name.length + size + DESCRIPTOR_BYTES;
}

/** Offsets at which the content of each entry begins. */
export function offsetsOf(entries: readonly Entry[]): number[] {
  let at = 0;
  return entries.map((entry) => {
    const offset = at + LOCAL_BYTES + entry.name.length;
    at += spanOf(entry);
    return offset;
  });
}

/** End of an archive, behind all entries: the directory. */
export function directoryOf(entries: readonly Entry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const entry of entries) {
    const encoded = toUtf8(entry.name);
    const out = new Fields(CENTRAL_BYTES).long(0x02014b50).short(VERSION).short(VERSION).short(FLAGS).short(0);
    out.short(0).short(DATE).long(entry.crc32).long(entry.size).long(entry.size).short(encoded.length);
    out.short(0).short(0).short(0).short(0).long(0).long(at);
    parts.push(out.bytes, encoded);
    at += spanOf(entry);
  }
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const end = new Fields(END_BYTES).long(0x06054b50).short(0).short(0).short(entries.length).short(entries.length);
  return concatBytes([...parts, end.long(size).long(at).short(0).bytes]);
}

/** What the end of an archive says of it; undefined for what is none. */
export function readEnd(bytes: Uint8Array): { readonly entries: number; readonly directory: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length !== END_BYTES || view.getUint32(0, true) !== 0x06054b50) return undefined;
  return { entries: view.getUint16(10, true), directory: view.getUint32(16, true) };
}

/** The size of the entry that the directory ends with, if that has this name. */
export function lastSizeOf(directory: Uint8Array, name: string): number | undefined {
  const at = directory.length - CENTRAL_BYTES - name.length;
  if (at < 0) return undefined;
  return new DataView(directory.buffer, directory.byteOffset).getUint32(at + 24, true);
}

/** Little-endian fields one after the other. */
class Fields {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  short(value: number): this {
    this.#view.setUint16(this.#at, value, true);
    this.#at += 2;
    return this;
  }

  long(value: number): this {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
    return this;
  }
}
