/**
 * Record of what nodes change while it is kept: which elements came and went, and what registers held before. [CE1]
 *
 * Elements are noted by name, so the order of the nodes does not matter, and a delta is made once, when the record is
 * read. Keys that nobody has asked for are not noted.
 */
import type { WrittenMark } from './marks.js';
import type { BlobRef, Registers } from './registers.js';
import { type Run, RunIndex, append, without } from './runs.js';
import type { Sequence } from './sequence/sequence.js';

export type SequenceKind = 'text' | 'list';

/** Elements of one text or list that came, and those that went; who did both is among the first. */
export class TouchedElements {
  readonly inserted: Run[] = [];
  readonly #hidden: Run[] = [];

  hide(run: Run): void {
    append(this.#hidden, run);
  }

  /** Elements that were visible before, and are not any more. */
  get hidden(): readonly Run[] {
    return without(this.#hidden, new RunIndex(this.inserted), ({ chain }, counter, count) => ({
      chain,
      counter,
      count,
    }));
  }
}

export class Touched {
  readonly texts = new Map<number, TouchedElements>();
  readonly lists = new Map<number, TouchedElements>();
  /** Registers by number of the key, with what each held before. */
  readonly registers = new Map<number, Uint8Array | BlobRef | undefined>();
  /** Marks that texts were given, with what they have beaten. */
  readonly marks = new Map<number, WrittenMark[]>();
  /** Nodes by which this changed. */
  readonly nodes = new Set<number>();
  readonly #isWanted: (key: number) => boolean;

  constructor(isWanted: (key: number) => boolean) {
    this.#isWanted = isWanted;
  }

  get isEmpty(): boolean {
    return this.texts.size + this.lists.size + this.registers.size + this.marks.size === 0;
  }

  register(node: number, key: number, registers: Registers): void {
    if (!this.#isWanted(key)) return;
    this.nodes.add(node);
    if (!this.registers.has(key)) this.registers.set(key, registers.value(key));
  }

  marked(key: number, written: WrittenMark): void {
    if (!this.#isWanted(key)) return;
    this.nodes.add(written.mark.node);
    const marks = this.marks.get(key);
    if (marks) marks.push(written);
    else this.marks.set(key, [written]);
  }

  inserted(kind: SequenceKind, node: number, key: number, run: Run): void {
    if (this.#isWanted(key)) append(this.#of(kind, node, key).inserted, run);
  }

  /** Elements that are about to be hidden; with `edited` they were visible and are hidden already. */
  hiding(kind: SequenceKind, node: number, key: number, run: Run, sequence: Sequence, edited: boolean): void {
    if (!this.#isWanted(key)) return;
    const elements = this.#of(kind, node, key);
    if (edited) return elements.hide(run);
    sequence.forEachPiece(run.chain, run.counter, run.counter + run.count, (counter, count, deleted) => {
      if (!deleted) elements.hide({ chain: run.chain, counter, count });
    });
  }

  #of(kind: SequenceKind, node: number, key: number): TouchedElements {
    const touched = kind === 'text' ? this.texts : this.lists;
    this.nodes.add(node);
    let elements = touched.get(key);
    if (!elements) touched.set(key, (elements = new TouchedElements()));
    return elements;
  }
}
