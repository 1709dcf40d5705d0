/**
 * Packed numbers: blocks of numbers, of which each is a line and how far every number lies above it, in as few bits as the block needs.
 * What one author has written in a row takes nothing but the line.
 *
 * One is read in constant time, and none changes. More are added by packing what there is and what follows.
 */
import type { ByteReader } from './byte-reader.js';
import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';
import type { Numbers, Packed, Piece } from './log-column.js';

/** Numbers of a block: 2 to this power. */
const SHIFT = 8;
export const BLOCK = 1 << SHIFT;
const WORD_BITS = 32;
/** Words of a block for each bit that a number takes there. */
const WORDS_A_BIT = BLOCK / WORD_BITS;
export const MOST_BLOCKS = 2 ** 23;

/** Line below the numbers of a block, and the bits that the highest of them needs above it. */
interface Line {
  readonly base: number;
  readonly step: number;
  readonly width: number;
}

export class PackedNumbers implements Packed {
  readonly #bases: Int32Array;
  readonly #steps: Int32Array;
  readonly #widths: Uint8Array;
  /** Where the bits of each block begin among the words. */
  readonly #starts: Uint32Array;
  readonly #words: Uint32Array;

  constructor(bases: Int32Array, steps: Int32Array, widths: Uint8Array, words: Uint32Array) {
    this.#bases = bases;
    this.#steps = steps;
    this.#widths = widths;
    this.#words = words;
    this.#starts = new Uint32Array(widths.length);
    for (let block = 1; block < widths.length; block++)
      this.#starts[block] = this.#starts[block - 1]! + widths[block - 1]! * WORDS_A_BIT;
  }

  get length(): number {
    return this.#widths.length * BLOCK;
  }

  get(index: number): number {
    const block = index >>> SHIFT;
    const at = index & (BLOCK - 1);
    const line = this.#bases[block]! + this.#steps[block]! * at;
    const width = this.#widths[block]!;
    if (width === 0) return line;
    const word = this.#starts[block]! + ((width * at) >>> 5);
    const shift = (width * at) & (WORD_BITS - 1);
    let above = this.#words[word]! >>> shift;
    if (shift + width > WORD_BITS) above |= this.#words[word + 1]! << (WORD_BITS - shift);
    return line + (width === WORD_BITS ? above >>> 0 : above & ((2 ** width - 1) | 0));
  }

  *pieces(): Generator<Piece> {
    for (let block = 0; block < this.#widths.length; block++) {
      const from = block * BLOCK;
      const above = 2 ** this.#widths[block]! - 1;
      yield { from, to: from + BLOCK, base: this.#bases[block]!, step: this.#steps[block]!, above };
    }
  }

  /** With what a column holds behind these, up to its last whole block before `end`. */
  with(column: Numbers, end: number): PackedNumbers {
    const [held, blocks] = [this.#widths.length, Math.floor(end / BLOCK)];
    const numbers = new Float64Array(BLOCK);
    const [bases, steps, widths] = [new Int32Array(blocks), new Int32Array(blocks), new Uint8Array(blocks)];
    bases.set(this.#bases);
    steps.set(this.#steps);
    widths.set(this.#widths);
    const lines: Line[] = [];
    const take = (block: number): void => {
      for (let i = 0; i < BLOCK; i++) numbers[i] = column.get(block * BLOCK + i);
    };
    for (let block = held; block < blocks; block++) {
      take(block);
      const line = lineBelow(numbers);
      lines.push(line);
      [bases[block], steps[block], widths[block]] = [line.base, line.step, line.width];
    }
    const added = lines.reduce((sum, { width }) => sum + width * WORDS_A_BIT, 0);
    const words = new Uint32Array(this.#words.length + added);
    words.set(this.#words);
    let at = this.#words.length;
    for (const [i, line] of lines.entries()) {
      if (line.width === 0) continue;
      take(held + i);
      writeAbove(line, numbers, words, at);
      at += line.width * WORDS_A_BIT;
    }
    return new PackedNumbers(bases, steps, widths, words);
  }

  /** For what never leaves this machine, as `saveColumn`. */
  save(out: ByteWriter): void {
    out.varint(this.#widths.length);
    for (const { buffer } of [this.#bases, this.#steps, this.#widths]) out.bytes(new Uint8Array(buffer));
    out.varint(this.#words.length);
    out.bytes(new Uint8Array(this.#words.buffer));
  }

  static load(input: ByteReader): PackedNumbers {
    const blocks = input.count(9, MOST_BLOCKS);
    const bases = new Int32Array(copied(input, blocks * 4));
    const steps = new Int32Array(copied(input, blocks * 4));
    const widths = new Uint8Array(copied(input, blocks));
    const words = new Uint32Array(copied(input, input.count(4, Number.MAX_SAFE_INTEGER) * 4));
    let expected = 0;
    for (const width of widths) expected += width * WORDS_A_BIT;
    if (expected !== words.length || widths.some((width) => width > WORD_BITS))
      throw new DecodeError('packed numbers with other bits than their blocks need');
    return new PackedNumbers(bases, steps, widths, words);
  }
}

export const NONE = new PackedNumbers(new Int32Array(), new Int32Array(), new Uint8Array(), new Uint32Array());

/** Bytes of their own, which begin where numbers may. */
export function copied(input: ByteReader, bytes: number): ArrayBuffer {
  return new Uint8Array(input.bytes(bytes)).buffer;
}

/** The flat line, or the one from the first to the last number: below which the numbers need less. */
function lineBelow(numbers: Float64Array): Line {
  const flat = lineOf(numbers, 0);
  const step = Math.round((numbers[BLOCK - 1]! - numbers[0]!) / (BLOCK - 1));
  if (flat.width === 0 || step === 0) return flat;
  const rising = lineOf(numbers, step);
  return rising.width < flat.width && Math.abs(rising.base) < 2 ** 31 ? rising : flat;
}

function lineOf(numbers: Float64Array, step: number): Line {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < BLOCK; i++) {
    const above = numbers[i]! - step * i;
    if (above < least) least = above;
    if (above > most) most = above;
  }
  return { base: least, step, width: most === least ? 0 : Math.floor(Math.log2(most - least)) + 1 };
}

function writeAbove({ base, step, width }: Line, numbers: Float64Array, words: Uint32Array, start: number): void {
  for (let i = 0; i < BLOCK; i++) {
    const above = numbers[i]! - base - step * i;
    const word = start + ((width * i) >>> 5);
    const shift = (width * i) & (WORD_BITS - 1);
    words[word]! |= above << shift;
    if (shift + width > WORD_BITS) words[word + 1]! |= above >>> (WORD_BITS - shift);
  }
}
