/** A text: a sequence of UTF-16 code units. Positions are code units; the halves of a pair stay together here. [TX] */
import type { ByteWriter } from '../codec/byte-writer.js';
import type { Elements } from './elements.js';
import { Sequence } from './sequence/sequence.js';

export interface ElementSpan {
  readonly chain: number;
  readonly counter: number;
  readonly count: number;
}

/** Where an insert went: beside an element, or at the start when `chain` is -1. */
export interface Origin {
  readonly chain: number;
  readonly counter: number;
  readonly side: 'left' | 'right';
}

export class Text {
  readonly #elements: Elements;
  readonly sequence: Sequence;

  constructor(elements: Elements) {
    this.#elements = elements;
    this.sequence = new Sequence(elements.compare);
  }

  get length(): number {
    return this.sequence.length;
  }

  toString(): string {
    const units = new Uint16Array(this.sequence.length);
    let at = 0;
    this.sequence.forEachSpan((chain, counter, count, deleted) => {
      if (deleted) return;
      units.set(this.#elements.units(chain, counter, count), at);
      at += count;
    });
    return decodeUnits(units);
  }

  /** For hashes: the units of a run of elements. */
  writeContent(out: ByteWriter, chain: number, counter: number, count: number): void {
    for (const unit of this.#elements.units(chain, counter, count)) out.uint(unit, 2);
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

/** In slices: a call takes a bounded number of arguments. */
function decodeUnits(units: Uint16Array): string {
  let text = '';
  for (let from = 0; from < units.length; from += 0x2000) {
    text += String.fromCharCode(...units.subarray(from, from + 0x2000));
  }
  return text;
}
