/** Undo step: what edits of one moment have changed, by names of elements, and how two such steps become one. */
import { equalBytes } from '../../codec/bytes/bytes.js';
import type { ElementNumber } from '../../crdt/elements.js';
import type { HeldMarks, MarkStep } from '../../crdt/mark-keeper.js';
import { type Cut, type Run, RunIndex, append, without } from '../../crdt/runs.js';
import { BlobRef } from '../../crdt/registers.js';
import { type Left, type Seated, isSame } from './list-items.js';

export interface TextStep {
  inserted: Run[];
  cuts: Cut[];
  readonly marks: readonly MarkStep[];
  /** What was said of the cuts. */
  held: readonly HeldMarks[];
}

export interface ListStep {
  came: Seated[];
  left: Left[];
}

export interface RegisterStep {
  readonly before: Uint8Array | BlobRef | undefined;
  readonly after: Uint8Array | BlobRef | undefined;
}

export interface UndoStep {
  /** For whoever listens to `added` and `popped`: where the selection was, for example. */
  readonly meta: Map<unknown, unknown>;
  /** By number of the key. */
  readonly texts: Map<number, TextStep>;
  readonly lists: Map<number, ListStep>;
  readonly registers: Map<number, RegisterStep>;
}

/** Adds what came later to a step. */
export function extend(step: UndoStep, later: UndoStep): void {
  for (const [key, text] of later.texts) {
    const known = step.texts.get(key);
    if (!known) step.texts.set(key, text);
    else {
      // What was typed and deleted within one step was never there.
      const cuts = cutsWithout(text.cuts, known.inserted);
      for (const run of text.inserted) append(known.inserted, run);
      known.cuts = [...known.cuts, ...cuts];
      known.held = [...known.held, ...text.held];
    }
  }
  for (const [key, list] of later.lists) {
    const known = step.lists.get(key);
    if (!known) step.lists.set(key, list);
    else extendList(known, list);
  }
  for (const [key, { before, after }] of later.registers) {
    const known = step.registers.get(key);
    // What somebody has written between the two is what was there before.
    step.registers.set(key, { before: known && isEqual(known.after, before) ? known.before : before, after });
  }
}

export function isEqual(a: Uint8Array | BlobRef | undefined, b: Uint8Array | BlobRef | undefined): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return equalBytes(a, b);
  if (a instanceof BlobRef && b instanceof BlobRef) return a.hash === b.hash;
  return a === b;
}

function cutsWithout(cuts: readonly Cut[], runs: readonly Run[]): Cut[] {
  return without(cuts, new RunIndex(runs), (cut, counter, count) => ({
    chain: cut.chain,
    counter,
    count,
    text: cut.text.slice(counter - cut.counter, counter - cut.counter + count),
  }));
}

function extendList(step: ListStep, later: ListStep): void {
  const left = later.left.filter(({ item }) => !takeItem(step.came, item));
  step.came.push(...later.came);
  step.left.push(...left);
}

function takeItem(items: Seated[], item: ElementNumber): boolean {
  const at = items.findIndex((one) => isSame(one.item, item));
  if (at >= 0) items.splice(at, 1);
  return at >= 0;
}
