/**
 * Hides and shows elements of a text by name, wherever they stand by now: what undo is made of. [TX2]
 *
 * A deleted element is never shown again. What it held is inserted anew directly before it, so that the new elements
 * stand where it stood: between the same neighbours, those among them that are hidden and may be shown later included.
 */
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { RIGHT } from '../../crdt/sequence/span-layout.js';
import type { Text } from '../../crdt/text.js';
import type { Authorship } from './authorship.js';
import { spotBetween } from './beside.js';
import { type Cut, type Element, type Moved, type Run, RunIndex, append, isSame, lastOf } from '../../crdt/runs.js';
import { piecesOf } from './text-editor.js';

/** Hidden elements without anything between them, to be inserted anew before the first of them. */
interface Gap {
  readonly before: Element;
  /** What stands before that now, if anything. */
  readonly behind: Element | undefined;
  readonly parts: Run[];
  text: string;
}

export class TextElements {
  readonly #key: number;
  readonly #text: Text;
  readonly #author: Authorship;

  constructor(key: number, text: Text, author: Authorship) {
    this.#key = key;
    this.#text = text;
    this.#author = author;
  }

  /** Another number once they have other names. */
  get epoch(): number {
    return this.#author.epoch;
  }

  /** Visible elements from a position on. */
  at(position: number, count: number): Run[] {
    const { sequence } = this.#text;
    const runs: Run[] = [];
    for (let at = position; at < position + count; at++) {
      sequence.elementAt(at);
      append(runs, { chain: sequence.foundChain, counter: sequence.foundCounter, count: 1 });
    }
    return runs;
  }

  /** The position of an element, or that which it would have if it were not deleted. */
  positionOf({ chain, counter }: Element): number {
    return this.#text.sequence.positionOf(chain, counter);
  }

  /** What elements hold, or held until just now. */
  read(runs: readonly Run[]): Cut[] {
    this.#author.flush(); // units of an open node are not there yet
    return runs.map((run) => ({ ...run, text: this.#textOf(run) }));
  }

  #textOf({ chain, counter, count }: Run): string {
    const out = new ByteWriter(count * 2);
    this.#text.writeContent(out, chain, counter, count);
    const bytes = out.view();
    let text = '';
    for (let at = 0; at < bytes.length; at += 2) text += String.fromCharCode(bytes[at]! * 256 + bytes[at + 1]!);
    return text;
  }

  /** Deletes those of the elements that are visible; answers which these were. */
  hide(runs: readonly Run[]): Cut[] {
    const { sequence } = this.#text;
    const visible: Run[] = [];
    for (const { chain, counter: from, count: all } of runs)
      sequence.forEachRun(chain, from, from + all, (counter, count, _chain, _counter, _side, deleted) => {
        if (!deleted) visible.push({ chain, counter, count });
      });
    const cuts = this.read(visible);
    this.#author.batch(() => {
      for (const run of visible) {
        sequence.delete(run.chain, run.counter, run.count);
        this.#author.deleteText(this.#key, run.chain, lastOf(run).counter, run.count);
      }
    });
    return cuts;
  }

  /** Inserts what deleted elements held where they stood; answers which elements stand for them now. */
  show(cuts: readonly Cut[]): Moved[] {
    const gaps = this.#gapsOf(cuts);
    const splits = gaps.map(({ before }) => this.#splitsPair(before));
    const moved: Moved[] = [];
    const tops = new Map<string, Element>();
    this.#author.batch(() => {
      for (const [i, gap] of gaps.entries()) for (const part of this.#fill(gap, splits[i]!, tops)) moved.push(part);
    });
    return moved;
  }

  /** Gaps that cuts leave, in document order. One walk over the text: whatever lies between two elements keeps them apart, hidden or not. */
  #gapsOf(cuts: readonly Cut[]): Gap[] {
    const wanted = new RunIndex(cuts);
    const gaps: Gap[] = [];
    let last: Element | undefined;
    this.#text.sequence.forEachSpan((chain, counter, count) => {
      const span = { chain, counter, count };
      for (const { held, common } of wanted.within(span)) {
        const from = common.counter - held.counter;
        const text = held.text.slice(from, from + common.count);
        const behind = common.counter === counter ? last : { chain, counter: common.counter - 1 };
        const gap = gaps.at(-1);
        if (gap && isSame(lastOf(gap.parts.at(-1)!), behind)) {
          gap.parts.push(common);
          gap.text += text;
        } else gaps.push({ before: common, behind, parts: [common], text });
      }
      last = lastOf(span);
    });
    return gaps;
  }

  /** Only what no replica writes, ops that take pairs apart, can have put an element there. */
  #splitsPair(element: Element): boolean {
    if (!this.#text.mayHavePairs) return false;
    this.#author.flush();
    return this.#text.splitsPair(this.positionOf(element));
  }

  #fill({ before, behind, parts, text }: Gap, splitsPair: boolean, tops: Map<string, Element>): Moved[] {
    const { sequence } = this.#text;
    const { chain, counter } = this.#author;
    let next = counter;
    // A half of a pair has no UTF-8 form; in a text it is shown like this.
    for (const piece of piecesOf(text.replace(/\p{Surrogate}/gu, '\ufffd'))) {
      if (next > counter) sequence.insert(chain, next, piece.length, chain, next - 1, RIGHT);
      else if (splitsPair) sequence.insertAt(this.positionOf(before) + 1, chain, next, piece.length);
      else {
        const [parent, side] = spotBetween(sequence, behind, before, tops);
        sequence.insert(chain, next, piece.length, parent.chain, parent.counter, side);
      }
      this.#author.insertText(this.#key, sequence, piece);
      next += piece.length;
    }
    let to = counter;
    return parts.map((part) => ({ ...part, to: { chain, counter: (to += part.count) - part.count } }));
  }
}
