/**
 * Run of ids: a file of the ids of consecutive nodes, in the order of the log and found by their bytes.
 *
 *   ids       32 bytes each, in pages of 128
 *   entries   (key, place in the run) of 4 bytes each, sorted, in pages of 512; the key is made of an id's first words and the salt
 *   tail      CRC-32 of each page, of ids and then of entries; the first key of each page of entries; a filter
 *   foot      magic, number of ids, salt, CRC-32 of the room's name, the tail and the foot before it
 *
 * Numbers are in the order of bytes of the machine. The salt is drawn for each room: nobody can prepare ids that have one key.
 */
import { crc32 } from 'node:zlib';
import type { RoomId } from '../../../codec/bytes/room-id.js';
import { IDS_A_PAGE } from '../../../codec/nodes/filed-ids.js';

export const PAGE_BYTES = 4096;
export const ENTRIES_A_PAGE = 512;
export const FOOT_WORDS = 5;
const ENTRY_BYTES = 8;
const MAGIC = 0x57_49_52_31; // WIR1

export type Salt = readonly [number, number];

export interface Layout {
  readonly idPages: number;
  readonly entryPages: number;
  readonly filterBlocks: number;
  readonly entriesAt: number;
  readonly tailAt: number;
  readonly tailWords: number;
  readonly bytes: number;
}

/** Where what stands in a run of so many ids. */
export function layoutOf(count: number): Layout {
  const idPages = count / IDS_A_PAGE;
  const entryPages = Math.ceil(count / ENTRIES_A_PAGE);
  const filterBlocks = blocksFor(count);
  const entriesAt = idPages * PAGE_BYTES;
  const tailAt = entriesAt + count * ENTRY_BYTES;
  const tailWords = idPages + entryPages * 2 + filterBlocks * BLOCK_WORDS;
  return {
    idPages,
    entryPages,
    filterBlocks,
    entriesAt,
    tailAt,
    tailWords,
    bytes: tailAt + (tailWords + FOOT_WORDS) * 4,
  };
}

export function footOf(room: RoomId, count: number, [first, second]: Salt, tail: Uint32Array): Uint32Array {
  const said = Uint32Array.of(MAGIC, count, first, second);
  const sum = crc32(bytesOf(said), crc32(bytesOf(tail), crc32(`${room}\0`)));
  return Uint32Array.of(...said, sum);
}

/** Key of an id with these first words. */
export function keyOf([one, other]: Salt, first: number, second: number): number {
  const mixed = Math.imul(first ^ one, 0x9e3779b1) + Math.imul(second ^ other, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

export function bytesOf(words: Uint32Array | Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

// The filter says of most ids that are not in a run that they are not. It is made of blocks, of which an id has one and four bits there.
const BLOCK_WORDS = 8;
const IDS_A_BLOCK = 32;
/** Words of an id that say where it is in the filter, and that no key is made of. */
const [BLOCK_WORD, BITS_WORD] = [2, 3];

function blocksFor(count: number): number {
  return Math.ceil(count / IDS_A_BLOCK);
}

export function addToFilter(filter: Uint32Array, words: Int32Array, at: number): void {
  const from = blockOf(filter, words, at);
  for (let bits = words[at + BITS_WORD]!, i = 0; i < 4; i++, bits >>>= 8)
    filter[from + ((bits >>> 5) & 7)]! |= 1 << (bits & 31);
}

export function mayHold(filter: Uint32Array, words: Int32Array, at: number): boolean {
  const from = blockOf(filter, words, at);
  for (let bits = words[at + BITS_WORD]!, i = 0; i < 4; i++, bits >>>= 8)
    if (((filter[from + ((bits >>> 5) & 7)]! >>> (bits & 31)) & 1) === 0) return false;
  return true;
}

function blockOf(filter: Uint32Array, words: Int32Array, at: number): number {
  return ((words[at + BLOCK_WORD]! >>> 0) % (filter.length / BLOCK_WORDS)) * BLOCK_WORDS;
}
