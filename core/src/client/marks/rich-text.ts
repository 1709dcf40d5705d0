/**
 * Rich text: one text of a replica with the marks of its characters, to read and to write. [MK1] [MK2]
 *
 * What it is made of is loaded by who asks for it: `richText(replica, key)`. From then on observers of the text are told of
 * marks too, an undo takes marks back, and what is typed beside a deleted end of a link stays out of it.
 */
import { markContent } from '../../codec/nodes/mark-content.js';
import type { MarkEnd } from '../../crdt/marks.js';
import { type Span, spansOf } from '../../crdt/mark-runs.js';
import type { Text } from '../../crdt/text.js';
import { encode, refusing } from '../../room/state/value-encoding.js';
import { type Authorship, checkRange } from '../editing/authorship.js';
import { TextMarks } from './text-marks.js';

/**
 * Which characters come under a mark that are typed at its ends: behind the last one (bold), before the first one, both, or
 * none (a link, a comment).
 */
export type Expand = 'after' | 'before' | 'both' | 'none';

const EXPANDS: ReadonlySet<unknown> = new Set<Expand>(['after', 'before', 'both', 'none']);

/** How a mark goes on living with the text. */
export interface MarkOptions {
  readonly expand?: Expand;
}

export interface RichTextParts {
  readonly number: number;
  readonly text: Text;
  readonly author: Authorship;
  /** Makes sure that all marks are there. */
  readonly ready: () => void;
  /** Called before a mark is written, and may refuse it. */
  readonly begin: () => void;
}

/** A replica. */
interface MarkableTexts {
  richParts(key: string): RichTextParts;
}

/** The text of a key with its marks. */
export function richText(replica: MarkableTexts, key: string): RichText {
  return new RichText(replica.richParts(key));
}

/** Text of a key with its marks, as `richText` answers it. */
export class RichText {
  readonly #parts: RichTextParts;

  constructor(parts: RichTextParts) {
    this.#parts = parts;
    parts.ready();
    parts.text.keeper ??= new TextMarks(parts.number, parts.text, parts.author);
  }

  get length(): number {
    return this.#parts.text.length;
  }

  toString(): string {
    this.#parts.ready();
    return this.#parts.text.toString();
  }

  /** The text as spans, each with the marks of its characters by name; none of an empty text. Or a part of it. */
  spans(from = 0, to = this.length): Span[] {
    checkRange(from, to - from, this.length);
    this.#parts.ready();
    return spansOf(this.#parts.text, from, to);
  }

  /** Marks `count` characters from a position on; what expands takes in what is typed there later. */
  mark(position: number, count: number, name: string, value: unknown = true, options: MarkOptions = {}): void {
    const { expand = 'after' } = options;
    if (!EXPANDS.has(expand)) throw new RangeError(`a mark expands ${[...EXPANDS].join(', ')}, not ${String(expand)}`);
    checkRange(position, count, this.length);
    if (count === 0) return;
    this.#checkSplit(position);
    this.#checkSplit(position + count);
    const content = refusing(() => markContent(name, encode(name, value ?? null)));
    const { number, author, begin } = this.#parts;
    begin();
    const from = this.#end(position, expand === 'before' || expand === 'both');
    author.mark(number, from, this.#end(position + count, expand === 'none' || expand === 'before'), content);
  }

  /** Takes a mark away from characters: none of that name is there any more, whoever has written it. */
  unmark(position: number, count: number, name: string, options: MarkOptions = {}): void {
    this.mark(position, count, name, null, options);
  }

  #checkSplit(position: number): void {
    if (!this.#parts.text.mayHavePairs) return;
    this.#parts.author.flush();
    if (this.#parts.text.splitsPair(position)) throw new RangeError(`${position} is in the middle of a character`);
  }

  /** Ends are named by the character before or behind, or they are those of the text. */
  #end(position: number, isBehind: boolean): MarkEnd {
    const { sequence } = this.#parts.text;
    const at = isBehind ? position - 1 : position;
    if (at < 0 || at >= sequence.length) return { element: undefined, isBehind };
    sequence.elementAt(at);
    return { element: { chain: sequence.foundChain, counter: sequence.foundCounter }, isBehind };
  }
}
