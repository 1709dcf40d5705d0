/** Editor of one text of a replica. Positions are UTF-16 code units, as in JavaScript strings. */
import { DecodeError, toUtf8 } from '../../codec/bytes/bytes.js';
import { NODE_BOUNDS } from '../../codec/nodes/canonical-node.js';
import type { Text } from '../../crdt/text.js';
import { Rejection } from '../../rejection.js';
import { type Anchor, type AnchorSide, anchorAt, positionOf } from './anchors.js';
import { type Authorship, checkRange } from './authorship.js';

/** A node takes 1 MiB; longer pastes become several nodes. */
const PIECE = NODE_BOUNDS.bytes / 16;

export class TextEditor {
  readonly #key: number;
  readonly #text: Text;
  readonly #author: Authorship;
  readonly #begin: () => void;

  /** `begin` is called before something comes into an empty text, and may refuse it. */
  constructor(key: number, text: Text, author: Authorship, begin: () => void) {
    this.#begin = begin;
    this.#key = key;
    this.#text = text;
    this.#author = author;
  }

  get length(): number {
    return this.#text.length;
  }

  toString(): string {
    this.#author.flush();
    return this.#text.toString();
  }

  insert(position: number, text: string): void {
    checkRange(position, 0, this.length);
    if (this.length === 0) this.#begin();
    this.#checkSplit(position);
    if (text.length === 1 && text.charCodeAt(0) < 0x80) return this.#insert(position, text);
    checkText(text);
    this.#author.whole(() => {
      let at = position;
      for (const piece of piecesOf(text)) {
        this.#insert(at, piece);
        at += piece.length;
      }
    });
    // From here on positions must be checked against it.
    if (/[\ud800-\udfff]/.test(text)) this.#author.flush();
  }

  delete(position: number, count: number): void {
    checkRange(position, count, this.length);
    this.#checkSplit(position);
    this.#checkSplit(position + count);
    if (count === 0) return;
    const { sequence } = this.#text;
    if (count === 1) return sequence.deleteAt(position, 1, this.#deleted);
    // One edit, however many runs of elements it takes: one node, as far as it fits.
    this.#author.batch(() => sequence.deleteAt(position, count, this.#deleted));
  }

  /** Place between two characters, by the one that it stays with. */
  anchorAt(position: number, side: AnchorSide = 'before'): Anchor {
    checkRange(position, 0, this.length);
    this.#author.flush();
    return anchorAt(this.#text.sequence, this.#author.elements, position, side);
  }

  /** Where anchors are by now; undefined for one that nothing is known of. */
  positionsOf(anchors: readonly Anchor[]): (number | undefined)[] {
    this.#author.ready();
    return anchors.map((anchor) => positionOf(this.#text.sequence, this.#author.elements, anchor));
  }

  readonly #deleted = (chain: number, counter: number, length: number): void =>
    this.#author.deleteText(this.#key, chain, counter + length - 1, length);

  #insert(position: number, text: string): void {
    const { sequence } = this.#text;
    const { chain, counter } = this.#author;
    const behind = this.#text.keeper?.behind(position);
    if (behind) {
      sequence.aimAfter(behind.chain, behind.counter);
      const { originChain, originCounter, originSide } = sequence;
      sequence.insert(chain, counter, text.length, originChain, originCounter, originSide);
    } else sequence.insertAt(position, chain, counter, text.length);
    this.#author.insertText(this.#key, sequence, text);
  }

  #checkSplit(position: number): void {
    if (!this.#text.mayHavePairs) return;
    this.#author.flush();
    if (this.#text.splitsPair(position)) throw new RangeError(`${position} is in the middle of a character`);
  }
}

/** Refused before anything is touched. */
function checkText(text: string): void {
  try {
    toUtf8(text);
  } catch (error) {
    if (error instanceof DecodeError) throw new Rejection('invalid-value', error.message, { cause: error });
    throw error;
  }
}

/** A text as what a node takes at once. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = endOfPiece(text, from + PIECE);
    yield text.slice(from, end);
    from = end;
  }
}

/** Never between the halves of a pair. */
function endOfPiece(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end + 1 : end;
}
