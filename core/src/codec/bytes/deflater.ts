/**
 * Raw deflate (RFC 1951) where the runtime has none that answers at once: matches by chains of hashes, and for each block a code
 * of its own or the fixed one, whichever is shorter.
 */
import { ByteWriter } from './byte-writer.js';
import {
  END_OF_BLOCK,
  DISTANCES,
  FARTHEST,
  LENGTH_ORDER,
  LITERALS,
  codesOf,
  distanceBits,
  distanceFrom,
  fixedDistances,
  fixedLengths,
  lengthBits,
  lengthFrom,
} from './huffman.js';

const LEAST_MATCH = 3;
const LONGEST_MATCH = 258;
/** Earlier places with the same hash that are tried, and from which length on one is good enough. */
const TRIED = 48;
const GOOD = 96;
const HASH_BITS = 14;
/** Literals and matches of one block. */
const BLOCK = 1 << 14;

/** Greatest symbol that stands for no more than a value: of a table that ascends. */
function symbolTable(count: number, from: (symbol: number) => number, values: number): Uint8Array {
  const table = new Uint8Array(values + 1);
  for (let symbol = 0; symbol < count; symbol++) table.fill(symbol, from(symbol));
  return table;
}
let lengthSymbols: Uint8Array | undefined;
let distanceSymbols: Uint8Array | undefined;

/** Lengths of codes for symbols that occur so often, none longer than `most`; at least two symbols have one. */
function lengthsFor(counts: Uint32Array, most: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  const used = [...counts.keys()].filter((symbol) => counts[symbol]! > 0);
  for (let symbol = 0; used.length < 2; symbol++) if (!used.includes(symbol)) used.push(symbol);
  used.sort((a, b) => counts[a]! - counts[b]!);
  // Two queues: leaves by weight, and the trees that were made of them, which come in the order of their weight.
  const weights = used.map((symbol) => counts[symbol]!);
  const parents: number[] = [];
  let [leaf, tree] = [0, used.length];
  const next = (): number =>
    leaf < used.length && !(tree < weights.length && weights[tree]! < weights[leaf]!) ? leaf++ : tree++;
  while (weights.length < 2 * used.length - 1) {
    const [one, other] = [next(), next()];
    parents[one] = parents[other] = weights.length;
    weights.push(weights[one]! + weights[other]!);
  }
  const depths = new Uint16Array(weights.length);
  const having = new Uint16Array(most + 1);
  for (let node = weights.length - 2; node >= 0; node--) {
    depths[node] = depths[parents[node]!]! + 1;
    if (node < used.length) having[Math.min(most, depths[node]!)]!++;
  }
  // What was cut off at the longest length is made room for.
  let taken = having.reduce((sum, count, bits) => sum + (count << (most - bits)), 0);
  for (; taken > 1 << most; taken--) {
    let bits = most - 1;
    while (having[bits] === 0) bits--;
    having[most]!--;
    having[bits]!--;
    having[bits + 1]! += 2;
  }
  for (let bits = most, i = 0; bits > 0; bits--) for (let n = having[bits]!; n > 0; n--) lengths[used[i++]!] = bits;
  return lengths;
}

class BitWriter {
  readonly out: ByteWriter;
  #held = 0;
  #bits = 0;

  constructor(size: number) {
    this.out = new ByteWriter(size);
  }

  put(value: number, count: number): void {
    this.#held |= value << this.#bits;
    this.#bits += count;
    for (; this.#bits >= 8; this.#bits -= 8) {
      this.out.byte(this.#held & 255);
      this.#held >>>= 8;
    }
  }

  finish(): Uint8Array {
    if (this.#bits > 0) this.out.byte(this.#held & 255);
    return this.out.finish();
  }
}

/** Lengths of two codes as runs: symbols of the code of lengths, and the bits behind each. */
function runsOf(lengths: Uint8Array): { readonly symbol: number; readonly more: number; readonly bits: number }[] {
  const runs: { symbol: number; more: number; bits: number }[] = [];
  for (let i = 0; i < lengths.length;) {
    const length = lengths[i]!;
    let end = i + 1;
    while (end < lengths.length && lengths[end] === length) end++;
    let left = end - i;
    i = end;
    if (length > 0) {
      runs.push({ symbol: length, more: 0, bits: 0 });
      left--;
    }
    while (left >= 3) {
      const many = Math.min(left, length > 0 ? 6 : 138);
      if (length > 0) runs.push({ symbol: 16, more: many - 3, bits: 2 });
      else if (many < 11) runs.push({ symbol: 17, more: many - 3, bits: 3 });
      else runs.push({ symbol: 18, more: many - 11, bits: 7 });
      left -= many;
    }
    for (; left > 0; left--) runs.push({ symbol: length, more: 0, bits: 0 });
  }
  return runs;
}

/** What one block says: literals, and matches as length * 2^16 + distance. */
class Block {
  readonly #said = new Uint32Array(BLOCK);
  #size = 0;
  readonly #literals = new Uint32Array(LITERALS);
  readonly #distances = new Uint32Array(DISTANCES);

  get isFull(): boolean {
    return this.#size === BLOCK;
  }

  literal(byte: number): void {
    this.#said[this.#size++] = byte;
    this.#literals[byte]!++;
  }

  match(length: number, distance: number): void {
    this.#said[this.#size++] = length * 65_536 + distance;
    this.#literals[257 + lengthSymbols![length]!]!++;
    this.#distances[distanceSymbols![distance]!]!++;
  }

  end(out: BitWriter, isLast: boolean): void {
    this.#literals[END_OF_BLOCK] = 1;
    const literals = lengthsFor(this.#literals, 15);
    const distances = lengthsFor(this.#distances, 15);
    const trim = (lengths: Uint8Array, least: number): Uint8Array =>
      lengths.subarray(0, Math.max(least, lengths.findLastIndex((length) => length > 0) + 1));
    const sent = [trim(literals, 257), trim(distances, 1)] as const;
    const runs = runsOf(Uint8Array.of(...sent[0], ...sent[1]));
    const ofRuns = new Uint32Array(19);
    for (const { symbol } of runs) ofRuns[symbol]!++;
    const lengths = lengthsFor(ofRuns, 7);
    let count = 19;
    while (count > 4 && lengths[LENGTH_ORDER[count - 1]!] === 0) count--;
    const head = runs.reduce((sum, { symbol, bits }) => sum + lengths[symbol]! + bits, 14 + 3 * count);
    const bitsBy = (one: Uint8Array, other: Uint8Array): number =>
      this.#literals.reduce((sum, n, symbol) => sum + n * one[symbol]!, 0) +
      this.#distances.reduce((sum, n, symbol) => sum + n * other[symbol]!, 0);
    const isOwn = head + bitsBy(literals, distances) < bitsBy(fixedLengths(), fixedDistances());
    out.put(Number(isLast), 1);
    out.put(isOwn ? 2 : 1, 2);
    if (isOwn) {
      out.put(sent[0].length - 257, 5);
      out.put(sent[1].length - 1, 5);
      out.put(count - 4, 4);
      for (let i = 0; i < count; i++) out.put(lengths[LENGTH_ORDER[i]!]!, 3);
      const codes = codesOf(lengths);
      for (const { symbol, more, bits } of runs) {
        out.put(codes[symbol]!, lengths[symbol]!);
        out.put(more, bits);
      }
    }
    this.#write(out, isOwn ? literals : fixedLengths(), isOwn ? distances : fixedDistances());
    this.#size = 0;
    this.#literals.fill(0);
    this.#distances.fill(0);
  }

  #write(out: BitWriter, literals: Uint8Array, distances: Uint8Array): void {
    const [ofLiterals, ofDistances] = [codesOf(literals), codesOf(distances)];
    for (let i = 0; i < this.#size; i++) {
      const said = this.#said[i]!;
      if (said < 256) {
        out.put(ofLiterals[said]!, literals[said]!);
        continue;
      }
      const [length, distance] = [said >>> 16, said & 65_535];
      const [near, far] = [lengthSymbols![length]!, distanceSymbols![distance]!];
      out.put(ofLiterals[257 + near]!, literals[257 + near]!);
      out.put(length - lengthFrom(near), lengthBits(near));
      out.put(ofDistances[far]!, distances[far]!);
      out.put(distance - distanceFrom(far), distanceBits(far));
    }
    out.put(ofLiterals[END_OF_BLOCK]!, literals[END_OF_BLOCK]!);
  }
}

/** Earlier places by what begins there. */
class Matches {
  readonly #body: Uint8Array;
  readonly #newest = new Int32Array(1 << HASH_BITS).fill(-1);
  readonly #before: Int32Array;
  /** Found by `find`. */
  distance = 0;

  constructor(body: Uint8Array) {
    this.#body = body;
    this.#before = new Int32Array(Math.min(FARTHEST, body.length));
  }

  #hashAt(at: number): number {
    const body = this.#body;
    return (Math.imul(body[at]! | (body[at + 1]! << 8) | (body[at + 2]! << 16), 0x9e3779b1) >>> (32 - HASH_BITS)) | 0;
  }

  add(at: number): void {
    if (at + LEAST_MATCH > this.#body.length) return;
    const hash = this.#hashAt(at);
    this.#before[at % FARTHEST] = this.#newest[hash]!;
    this.#newest[hash] = at;
  }

  /** Length of the longest match that is longer than `longer`, or 0. */
  find(at: number, longer: number): number {
    const body = this.#body;
    const most = Math.min(LONGEST_MATCH, body.length - at);
    if (most < LEAST_MATCH) return 0;
    let best = Math.max(longer, LEAST_MATCH - 1);
    let found = 0;
    let from = this.#newest[this.#hashAt(at)]!;
    for (let tried = 0; from >= 0 && at - from <= FARTHEST && tried < TRIED && best < most; tried++) {
      if (body[from + best] === body[at + best]) {
        let length = 0;
        while (length < most && body[from + length] === body[at + length]) length++;
        if (length > best) {
          best = found = length;
          this.distance = at - from;
          if (length >= GOOD) break;
        }
      }
      const next = this.#before[from % FARTHEST]!;
      if (next >= from) break;
      from = next;
    }
    return found;
  }
}

export function deflateRaw(body: Uint8Array): Uint8Array {
  lengthSymbols ??= symbolTable(29, lengthFrom, LONGEST_MATCH);
  distanceSymbols ??= symbolTable(DISTANCES, distanceFrom, FARTHEST);
  const out = new BitWriter(64 + (body.length >> 1));
  const block = new Block();
  const matches = new Matches(body);
  let length = 0;
  for (let at = 0; at < body.length;) {
    length ||= matches.find(at, 0);
    const { distance } = matches;
    matches.add(at);
    // What begins one byte later may be longer: then this byte stands for itself.
    const later = length > 0 && length < GOOD ? matches.find(at + 1, length) : 0;
    if (length > 0 && later === 0) {
      block.match(length, distance);
      for (let i = 1; i < length; i++) matches.add(at + i);
      at += length;
      length = 0;
    } else {
      block.literal(body[at]!);
      at++;
      length = later;
    }
    if (block.isFull) block.end(out, false);
  }
  block.end(out, true);
  return out.finish();
}
