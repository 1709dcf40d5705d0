/** A text: a sequence of UTF-16 code units. Positions are code units; the halves of a pair stay together here. [TX] */
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError, fromUtf8, toUtf8 } from '../codec/bytes/bytes.js';
import type { Elements } from './elements.js';
import type { MarkKeeper } from './mark-keeper.js';
import type { Marks } from './marks.js';
import { Sequence } from './sequence/sequence.js';
import { readSequence, writeSequence } from './sequence/snapshot-bytes.js';

/** A saved text is read as it is; its elements are made when it is edited or merged. */
interface SavedText {
  readonly length: number;
  readonly content: Uint8Array;
  readonly sequence: Uint8Array;
}

export class Text {
  readonly #elements: Elements;
  #sequence: Sequence | undefined;
  #saved: SavedText | undefined;
  /** Undefined while nothing was ever marked. */
  marks: Marks | undefined;
  keeper: MarkKeeper | undefined;

  constructor(elements: Elements) {
    this.#elements = elements;
  }

  get sequence(): Sequence {
    return (this.#sequence ??= this.#saved ? this.#load(this.#saved) : new Sequence(this.#elements.compare));
  }

  /** Forgets everything, as if nothing had been written. */
  clear(): void {
    this.marks = undefined;
    this.#sequence = undefined;
    this.#saved = undefined;
  }

  /** Deleted elements are saved without their units: nobody reads these again. */
  save(out: ByteWriter): void {
    const { length, content, sequence } = this.#saved ?? this.#save();
    out.varint(length);
    out.sized(content);
    out.sized(sequence);
  }

  #save(): SavedText {
    const sequence = new ByteWriter();
    writeSequence(sequence, this.sequence.save());
    return { length: this.length, content: toUtf8(this.toString()), sequence: sequence.view() };
  }

  static load(input: ByteReader, elements: Elements): Text {
    const text = new Text(elements);
    text.#saved = { length: input.varint(), content: input.sized(), sequence: input.sized() };
    return text;
  }

  #load({ content, sequence: bytes }: SavedText): Sequence {
    const input = new ByteReader(bytes);
    const sequence = Sequence.load(this.#elements.compare, readSequence(input), false);
    const text = fromUtf8(content);
    if (text.length !== sequence.length) throw new DecodeError('a saved text has another length than its elements');
    let at = 0;
    sequence.forEachSpan((chain, counter, count, deleted) => {
      if (!deleted) this.#elements.setText(chain, counter, text, at, count);
      at += deleted ? 0 : count;
    });
    this.#saved = undefined;
    return sequence;
  }

  get length(): number {
    return this.#saved ? this.#saved.length : this.sequence.length;
  }

  toString(): string {
    if (this.#saved) return fromUtf8(this.#saved.content);
    const units = new Uint16Array(this.sequence.length);
    let at = 0;
    this.sequence.forEachSpan((chain, counter, count, deleted) => {
      if (deleted) return;
      units.set(this.#elements.units(chain, counter, count), at);
      at += count;
    });
    return decodeUnits(units, this.mayHavePairs);
  }

  /** What consecutive elements hold. */
  contentOf(chain: number, counter: number, count: number): string {
    return decodeUnits(this.#elements.units(chain, counter, count), true);
  }

  /** Writes for hashes the units of visible elements. */
  writeContent(out: ByteWriter, chain: number, counter: number, count: number): void {
    this.#elements.writeUnits(out, chain, counter, count);
  }

  /** Whether the question of `splitsPair` needs to be asked. */
  get mayHavePairs(): boolean {
    return this.#saved !== undefined || this.#elements.hasPairs;
  }

  /** Whether a position lies between the halves of a surrogate pair. */
  splitsPair(position: number): boolean {
    if (position <= 0 || position >= this.length) return false;
    return isHigh(this.#unitAt(position - 1)) && isLow(this.#unitAt(position));
  }

  #unitAt(position: number): number {
    this.sequence.elementAt(position);
    const { foundChain, foundCounter } = this.sequence;
    return this.#elements.units(foundChain, foundCounter, 1)[0] ?? 0;
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true });
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The decoder would replace half a pair, which concurrent deletions can leave behind. */
export function decodeUnits(units: Uint16Array, mayHavePairs: boolean): string {
  if (IS_LITTLE_ENDIAN && !mayHavePairs) return utf16.decode(units);
  let text = '';
  // In slices: a call takes a bounded number of arguments.
  for (let from = 0; from < units.length; from += 0x2000) {
    text += String.fromCharCode(...units.subarray(from, from + 0x2000));
  }
  return text;
}
