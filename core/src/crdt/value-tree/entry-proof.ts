/**
 * Proof of some entries of a room under its value root: the tree, with what is not told left out. [VR5]
 *
 *   version 1 (1) ‖ piece
 *
 * A piece is that of a subtree: 0 and its hash, left out; 1 and the pieces of both branches; 2 and an entry by the hash of its value;
 * 3 and an entry with its value whole; 4 and one with a summary of it; 5, nothing, which only the root can be. Entries begin with kind and key.
 * Nothing is believed that does not hash to the root, and trees may be deep, so neither way recurses.
 */
import type { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError, equalBytes } from '../../codec/bytes/bytes.js';
import { DIGEST_BYTES } from '../../codec/sha256/words.js';
import { type EntryPlace, comparePlaces } from './entry-order.js';
import { type EntryTree, NO_NODE, hashOfEntries, hashOfEntry } from './entry-tree.js';
import {
  type ShownValue,
  type Summary,
  hashOfSummary,
  hashOfValue,
  readShown,
  readSummary,
  writeShown,
  writeSummary,
} from './shown-value.js';

const VERSION = 1;
const PIECES = { leftOut: 0, branches: 1, hashed: 2, whole: 3, summary: 4, nothing: 5 } as const;
const KEY_BYTES = 4096;

/** How an entry is told. */
export type Telling = { readonly whole: ShownValue } | { readonly summary: Summary } | 'hashed';

/** Entry that a proof tells; its value where that was told. */
export interface ToldEntry {
  readonly place: EntryPlace;
  readonly whole?: ShownValue;
  readonly summary?: Summary;
}

/** What stands in a proof from left to right: entries, and gaps where subtrees were left out. */
export type Told = ToldEntry | 'gap';

/** Writes the tree with these of its entries. */
export function writeEntries(out: ByteWriter, tree: EntryTree, told: ReadonlyMap<number, Telling>): void {
  const open = new Set([...told.keys()].flatMap((node) => tree.above(node)));
  out.byte(VERSION);
  const stack = [tree.rootNode];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const telling = told.get(node);
    if (node === NO_NODE) out.byte(PIECES.nothing);
    else if (telling) writeEntry(out, tree, node, telling);
    else if (open.has(node)) {
      out.byte(PIECES.branches);
      const [zero, one] = tree.belowOf(node);
      stack.push(one, zero);
    } else {
      out.byte(PIECES.leftOut);
      out.bytes(tree.hashOf(node));
    }
  }
}

function writeEntry(out: ByteWriter, tree: EntryTree, node: number, telling: Telling): void {
  const { key, kind } = tree.placeOf(node);
  out.byte(telling === 'hashed' ? PIECES.hashed : 'whole' in telling ? PIECES.whole : PIECES.summary);
  out.byte(kind);
  out.sized(key);
  if (telling === 'hashed') out.bytes(tree.valueOf(node));
  else if ('whole' in telling) writeShown(out, telling.whole);
  else writeSummary(out, telling.summary);
}

/** What a proof tells, if it has this root; throws a `DecodeError` otherwise. Reads no further than its pieces. */
export function readEntries(input: ByteReader, root: Uint8Array): Told[] {
  if (input.byte() !== VERSION) throw new DecodeError('unknown version of a proof of entries');
  const told: Told[] = [];
  /** Branches that are open: the hash of the left one, once it is there. */
  const open: (Uint8Array | undefined)[] = [];
  for (;;) {
    const piece = input.byte();
    if (piece === PIECES.branches) {
      open.push(undefined);
      continue;
    }
    let hash = readPiece(input, piece, told);
    if (piece === PIECES.nothing && open.length > 0) throw new DecodeError('a branch of a proof holds nothing');
    for (let left = open.at(-1); left; left = open.at(-1)) {
      open.pop();
      hash = hashOfEntries(left, hash);
    }
    if (open.length > 0) open[open.length - 1] = hash;
    else if (equalBytes(hash, root)) break;
    else throw new DecodeError('a proof has another root than was signed');
  }
  expectOrder(told);
  return told;
}

function readPiece(input: ByteReader, piece: number, told: Told[]): Uint8Array {
  if (piece === PIECES.nothing) return hashOfEntries();
  if (piece === PIECES.leftOut) {
    if (told.at(-1) !== 'gap') told.push('gap');
    return input.bytes(DIGEST_BYTES);
  }
  if (piece !== PIECES.hashed && piece !== PIECES.whole && piece !== PIECES.summary)
    throw new DecodeError(`unknown piece ${piece} of a proof`);
  const kind = input.byte();
  const place = { key: input.bytes(input.count(1, KEY_BYTES)), kind };
  if (piece === PIECES.hashed) {
    told.push({ place });
    return hashOfEntry(place, input.bytes(DIGEST_BYTES));
  }
  if (piece === PIECES.whole) {
    const whole = readShown(input);
    told.push({ place, whole });
    return hashOfEntry(place, hashOfValue(whole));
  }
  const summary = readSummary(input);
  told.push({ place, summary });
  return hashOfEntry(place, hashOfSummary(summary));
}

/** What an authority has signed is in order; this only keeps what was put together of parts of it from being taken for it. */
function expectOrder(told: readonly Told[]): void {
  let last: ToldEntry | undefined;
  for (const one of told) {
    if (one === 'gap') continue;
    if (last && comparePlaces(last.place, one.place) >= 0) throw new DecodeError('entries of a proof are out of order');
    last = one;
  }
}

/**
 * Told entries from a place on, as far as nothing is left out between them, and whether they go on to where `isWithin` ends.
 * Undefined where not even the first is sure to be the first.
 */
export function withoutGaps(
  told: readonly Told[],
  from: EntryPlace,
  isWithin: (entry: ToldEntry) => boolean,
): { readonly entries: readonly ToldEntry[]; readonly isAll: boolean } | undefined {
  const entries: ToldEntry[] = [];
  let isSure = true;
  for (const one of told) {
    if (one === 'gap') {
      if (entries.length > 0) return { entries, isAll: false };
      isSure = false;
    } else if (comparePlaces(one.place, from) < 0) isSure = true;
    else if (!isSure) return undefined;
    else if (isWithin(one)) entries.push(one);
    else return { entries, isAll: true };
  }
  return isSure ? { entries, isAll: true } : undefined;
}
