/** Undo step: what edits of one moment have changed, by names of elements, and how two such steps become one. */
import type { ElementNumber } from '../../crdt/elements.js';
import { type Cut, type Run, RunIndex, append, without } from '../../crdt/runs.js';
import type { BlobRef } from '../../crdt/registers.js';
import { type Left, type Seated, isSame } from './list-items.js';

export interface TextStep {
  inserted: Run[];
  cuts: Cut[];
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
    }
  }
  for (const [key, list] of later.lists) {
    const known = step.lists.get(key);
    if (!known) step.lists.set(key, list);
    else extendList(known, list);
  }
  for (const [key, { before, after }] of later.registers)
    step.registers.set(key, { before: step.registers.has(key) ? step.registers.get(key)!.before : before, after });
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
