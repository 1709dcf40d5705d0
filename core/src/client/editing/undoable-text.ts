/**
 * A text of a replica whose edits can be undone and done again. [TX2]
 *
 * Undo is by new edits, so others merge it like any edit, and whatever they wrote in between stays. Only edits made here
 * are undone: those of other editors of the same text count as somebody else's.
 *
 * A step is one insertion or one deletion, and in either state of it its elements are visible or hidden. Elements that
 * are shown again are new ones; all steps are told which, so that undoing an insertion also takes what was deleted of
 * it and came back.
 */
import { type Cut, type Run, RunIndex, append, follow, isSame, joined, lastOf } from '../../crdt/runs.js';
import type { TextEditor } from './text-editor.js';
import { TextElements } from './text-elements.js';
import type { Undoable } from './undo.js';

/** Steps that can be undone; beyond, the oldest are forgotten. */
const STEPS = 1000;

interface Step {
  readonly inserts: boolean;
  /** Its elements while they are visible, or were until somebody else deleted them. */
  runs: Run[];
  /** Its elements while they are hidden, in document order when they were just deleted. */
  cuts: Cut[];
}

/** A replica. */
interface UndoableTexts extends Undoable {
  text(key: string): TextEditor;
}

/** The text of a key with undo, of what is edited through this very object: get one and keep it. */
export function undoableText(replica: UndoableTexts, key: string): UndoableText {
  const { number, values, author } = replica.editingParts();
  const of = number(key);
  return new UndoableText(replica.text(key), new TextElements(of, values.text(of), author));
}

export class UndoableText {
  readonly #editor: TextEditor;
  readonly #elements: TextElements;
  readonly #done: Step[] = [];
  #undone: Step[] = [];
  /** Whether the next edit may be part of the newest step. */
  #isOpen = false;
  #epoch: number;

  constructor(editor: TextEditor, elements: TextElements) {
    this.#editor = editor;
    this.#elements = elements;
    this.#epoch = elements.epoch;
  }

  get length(): number {
    return this.#editor.length;
  }

  toString(): string {
    return this.#editor.toString();
  }

  insert(position: number, text: string): void {
    this.#forgetOthers();
    const step = this.#typedBefore(position);
    this.#editor.insert(position, text);
    if (text.length === 0) return;
    // One edit gets consecutive counters, however many nodes it takes.
    const run = { ...this.#elements.at(position, 1)[0]!, count: text.length };
    if (step) append(step.runs, run);
    else this.#begin({ inserts: true, runs: [run], cuts: [] });
    this.#undone = [];
  }

  delete(position: number, count: number): void {
    this.#forgetOthers();
    const beside = this.#deletedBeside(position, count);
    const runs = this.#elements.at(position, count);
    this.#editor.delete(position, count);
    if (count === 0) return;
    const cuts = this.#elements.read(runs);
    if (!beside) this.#begin({ inserts: false, runs: [], cuts });
    else if (beside.isBackwards) beside.step.cuts = joined(cuts, beside.step.cuts);
    else beside.step.cuts = joined(beside.step.cuts, cuts);
    this.#undone = [];
  }

  /** What is typed or deleted next is a step of its own: for a pause, a moved cursor, a save. */
  checkpoint(): void {
    this.#isOpen = false;
  }

  /** False when there is nothing to undo. */
  undo(): boolean {
    this.#forgetOthers();
    const step = this.#done.pop();
    if (!step) return false;
    this.#undone.push(step);
    this.#turn(step, !step.inserts);
    return true;
  }

  /** Does again what was undone last; false when there is nothing, or something was edited since. */
  redo(): boolean {
    this.#forgetOthers();
    const step = this.#undone.pop();
    if (!step) return false;
    this.#done.push(step);
    this.#turn(step, step.inserts);
    return true;
  }

  /** Once nodes were given up, elements have other names: steps from before would undo what they did not do. */
  #forgetOthers(): void {
    if (this.#epoch === this.#elements.epoch) return;
    this.#epoch = this.#elements.epoch;
    this.#done.length = 0;
    this.#undone = [];
    this.#isOpen = false;
  }

  #turn(step: Step, shows: boolean): void {
    this.#isOpen = false;
    if (!shows) {
      step.cuts = this.#elements.hide(step.runs);
      step.runs = [];
      return;
    }
    const moved = this.#elements.show(step.cuts);
    step.cuts = [];
    step.runs = moved.map(({ to, count }) => ({ ...to, count }));
    const index = new RunIndex(moved);
    for (const other of [...this.#done, ...this.#undone]) if (other !== step) other.runs = follow(other.runs, index);
  }

  #begin(step: Step): void {
    this.#done.push(step);
    if (this.#done.length > STEPS) this.#done.shift();
    this.#isOpen = true;
  }

  /** The step that goes on when something is inserted here: its last character stands directly before. */
  #typedBefore(position: number): Step | undefined {
    const step = this.#isOpen ? this.#done.at(-1) : undefined;
    const last = step?.runs.at(-1);
    if (!last || position === 0) return undefined;
    return isSame(this.#elements.at(position - 1, 1)[0], lastOf(last)) ? step : undefined;
  }

  /** The step that goes on when this is deleted: what that deleted stood directly behind it, or directly before. */
  #deletedBeside(position: number, count: number): { readonly step: Step; readonly isBackwards: boolean } | undefined {
    const step = this.#isOpen ? this.#done.at(-1) : undefined;
    const [first, last] = [step?.cuts[0], step?.cuts.at(-1)];
    if (!step || !first || !last) return undefined;
    if (this.#elements.positionOf(first) === position + count) return { step, isBackwards: true };
    return this.#elements.positionOf(lastOf(last)) === position ? { step, isBackwards: false } : undefined;
  }
}
