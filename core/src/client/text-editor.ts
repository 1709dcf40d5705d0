/** Edits one text of a replica. Positions are UTF-16 code units, as in JavaScript strings. */
import { DecodeError, toUtf8 } from '../codec/bytes.js';
import { NODE_BOUNDS, checkKey } from '../codec/canonical-node.js';
import type { Op } from '../codec/op.js';
import type { Text } from '../crdt/text.js';
import { Rejection } from '../rejection.js';
import { type Authorship, anchorOf, checkRange } from './authorship.js';

/** A node takes 1 MiB; longer pastes become several nodes. */
const PIECE = NODE_BOUNDS.bytes / 4;

export class TextEditor {
  readonly #text: Text;
  readonly #author: Authorship;

  constructor(text: Text, author: Authorship) {
    this.#text = text;
    this.#author = author;
  }

  get length(): number {
    return this.#text.length;
  }

  toString(): string {
    return this.#text.toString();
  }

  insert(position: number, text: string): void {
    checkRange(position, 0, this.length);
    this.#checkSplit(position);
    checkInsert(this.#author.key, text);
    for (let from = 0; from < text.length;) {
      const end = endOfPiece(text, from + PIECE);
      this.#insert(position + from, text.slice(from, end));
      from = end;
    }
  }

  delete(position: number, count: number): void {
    checkRange(position, count, this.length);
    this.#checkSplit(position);
    this.#checkSplit(position + count);
    if (count === 0) return;
    const ops: Op[] = [];
    const { key } = this.#author;
    this.#text.sequence.deleteAt(position, count, (chain, counter, length) => {
      ops.push({ kind: 'text-delete', key, last: this.#author.refTo(chain, counter + length - 1), count: length });
    });
    for (let from = 0; from < ops.length; from += DELETES) this.#author.write(ops.slice(from, from + DELETES));
  }

  #insert(position: number, text: string): void {
    const { chain, counter } = this.#author.next();
    const { sequence } = this.#text;
    sequence.insertAt(position, chain, counter, text.length);
    const anchor = anchorOf(sequence, this.#author);
    this.#author.write([{ kind: 'text-insert', key: this.#author.key, anchor, text }]);
  }

  #checkSplit(position: number): void {
    if (this.#text.splitsPair(position)) throw new RangeError(`${position} is in the middle of a character`);
  }
}

/** How many deletions of spans one node takes with long keys. */
const DELETES = 64;

/** Refused before anything is touched. */
function checkInsert(key: string, text: string): void {
  try {
    checkKey(key);
    toUtf8(key);
    toUtf8(text);
  } catch (error) {
    if (error instanceof DecodeError) throw new Rejection('invalid-value', error.message, { cause: error });
    throw error;
  }
}

/** Never between the halves of a pair. */
function endOfPiece(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end + 1 : end;
}
