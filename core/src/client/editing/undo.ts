/**
 * Undo over several keys: of texts, lists and registers, of edits with the origins that it was told. [UN1]
 *
 * Undo is by new edits, so others merge it like any edit, and what they wrote in between stays: a character or item of
 * somebody else is never taken away, and a register that somebody has written since keeps what it holds. An undo is recorded
 * as any edit is, as the step that does it again.
 */
import type { BlobRef } from '../../crdt/registers.js';
import type { MarkKeeper } from '../../crdt/mark-keeper.js';
import { RunIndex, follow } from '../../crdt/runs.js';
import type { Touched } from '../../crdt/touched.js';
import type { Recorder } from '../changes/observing.js';
import type { ChangeSource } from '../changes/change.js';
import { AtOnce } from '../changes/at-once.js';
import type { Document } from '../../crdt/document.js';
import type { Authorship } from './authorship.js';
import { ListItems, type Seated, isSame } from './list-items.js';
import { TextElements } from './text-elements.js';
import { type ListStep, type RegisterStep, type TextStep, type UndoStep, extend, isEqual } from './undo-step.js';

/** What of one's own edits can be taken back. */
export interface UndoOptions {
  readonly keys: readonly string[];
  /** Origins of the edits that can be undone; those without an origin when absent. */
  readonly origins?: readonly unknown[];
  /** Edits that follow each other within so many milliseconds are one step. */
  readonly mergeMs?: number;
}

interface UndoParts {
  readonly now: () => number;
  /** Another number once elements have other names. */
  readonly epoch: () => number;
  readonly text: (key: number) => TextElements;
  readonly keeper: (key: number) => MarkKeeper | undefined;
  readonly list: (key: number) => ListItems;
  readonly register: (key: number) => Uint8Array | BlobRef | undefined;
  readonly write: (key: number, value: Uint8Array | BlobRef | undefined) => void;
  readonly transact: (edit: () => void, origin: unknown) => void;
  readonly follow: (recorder: Recorder) => () => void;
}

/** A step that was added, undone or done again, with what listeners have noted of it. */
export interface UndoEvent {
  readonly meta: Map<unknown, unknown>;
  readonly kind: 'undo' | 'redo';
}

/** What a replica gives to whoever takes edits back. */
export interface EditingParts {
  readonly number: (key: string) => number;
  readonly values: Document;
  readonly author: Authorship;
  readonly now: () => number;
  readonly write: (key: number, value: Uint8Array | BlobRef | undefined) => void;
  readonly follow: (recorder: Recorder) => () => void;
}

/** A replica. */
export interface Undoable {
  editingParts(): EditingParts;
  transact(edit: () => void, origin?: unknown): void;
}

/**
 * Undo of what is edited in a replica from now on, over texts, lists and registers. Close it when it is not needed any more. It is
 * a function so that only pages that take something back load it.
 */
export function createUndo(replica: Undoable, options: UndoOptions): Undo {
  checkOptions(options);
  const { values, author, now, write, follow } = replica.editingParts();
  const parts: UndoParts = {
    now,
    epoch: () => author.epoch,
    text: (key) => new TextElements(key, values.text(key), author),
    keeper: (key) => values.text(key).keeper,
    list: (key) => new ListItems(key, values.list(key), author),
    register: (key) => values.registers.value(key),
    write,
    transact: (edit, origin) => replica.transact(edit, origin),
    follow,
  };
  return new Undo(parts, options);
}

/** Refuses names that are no array: letters of a text would be taken for them, and nothing be taken back. */
function checkOptions({ keys, origins = [] }: UndoOptions): void {
  if (Array.isArray(keys) && Array.isArray(origins)) return;
  throw new TypeError("an undo is told its keys, and origins if any, as arrays: { keys: ['body'] }");
}

/** Steps that can be undone; beyond, the oldest are forgotten. */
const STEPS = 1000;
const MERGE_MS = 500;

/** Steps of one's own edits, newest last, that can be undone and done again. */
export class Undo implements Recorder {
  readonly keys: ReadonlySet<string>;
  readonly #parts: UndoParts;
  readonly #origins: ReadonlySet<unknown>;
  readonly #mergeMs: number;
  readonly #end: () => void;
  #done: UndoStep[] = [];
  #undone: UndoStep[] = [];
  /** Which step is being turned back, while that happens. */
  #turning: 'undo' | 'redo' | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #epoch: number;
  readonly #added = new AtOnce<UndoEvent>();
  readonly #popped = new AtOnce<UndoEvent>();

  constructor(parts: UndoParts, { keys, origins = [undefined], mergeMs = MERGE_MS }: UndoOptions) {
    this.#parts = parts;
    this.keys = new Set(keys);
    this.#origins = new Set(origins);
    this.#mergeMs = mergeMs;
    this.#epoch = parts.epoch();
    this.#end = parts.follow(this);
  }

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Called when a step was made, or became larger: to note something in its `meta`. */
  onAdded(listener: (event: UndoEvent) => void): () => void {
    return this.#added.add(listener);
  }

  /** Called when a step was undone or done again. */
  onPopped(listener: (event: UndoEvent) => void): () => void {
    return this.#popped.add(listener);
  }

  /** What is edited next is a step of its own: for a moved cursor, a save. */
  stop(): void {
    this.#lastAt = Number.NEGATIVE_INFINITY;
  }

  /** Undoes the newest step; false when there is nothing to undo. */
  undo(): boolean {
    return this.#turn('undo', this.#done);
  }

  /** Does again what was undone last; false when there is nothing, or something was edited since. */
  redo(): boolean {
    return this.#turn('redo', this.#undone);
  }

  clear(): void {
    this.#done = [];
    this.#undone = [];
    this.stop();
  }

  /** Nothing is recorded any more. */
  close(): void {
    this.clear();
    this.#end();
  }

  record(touched: Touched, source: ChangeSource, origin: unknown): void {
    this.#forgetOthers();
    if (source !== 'local' || !(origin === this || this.#origins.has(origin))) return;
    const step = this.#stepOf(touched);
    if (!step) return;
    if (this.#turning === 'undo') this.#add(this.#undone, step, 'redo');
    else if (this.#turning === 'redo') this.#add(this.#done, step, 'undo');
    else this.#addEdit(step);
  }

  #addEdit(step: UndoStep): void {
    const now = this.#parts.now();
    const last = this.#done.at(-1);
    this.#undone = [];
    if (last && now - this.#lastAt < this.#mergeMs && touchesTheSame(last, step) && !hasMarks(step)) {
      extend(last, step);
      this.#added.tell({ meta: last.meta, kind: 'undo' });
    } else this.#add(this.#done, step, 'undo');
    this.#lastAt = now;
  }

  #add(steps: UndoStep[], step: UndoStep, kind: 'undo' | 'redo'): void {
    steps.push(step);
    if (steps.length > STEPS) steps.shift();
    this.#added.tell({ meta: step.meta, kind });
  }

  #turn(kind: 'undo' | 'redo', steps: UndoStep[]): boolean {
    this.#forgetOthers();
    // A step that others have made void changes nothing: the one before it is turned.
    for (let step = steps.pop(); step; step = steps.pop()) {
      const counterpart = kind === 'undo' ? this.#undone : this.#done;
      const before = counterpart.length;
      this.#turning = kind;
      try {
        this.#parts.transact(() => this.#invert(step), this);
      } finally {
        this.#turning = undefined;
        this.stop();
      }
      if (counterpart.length === before) continue;
      for (const [name, value] of step.meta) {
        const { meta } = counterpart.at(-1)!;
        if (!meta.has(name)) meta.set(name, value);
      }
      this.#popped.tell({ meta: step.meta, kind });
      return true;
    }
    return false;
  }

  #stepOf({ texts, lists, registers, marks }: Touched): UndoStep | undefined {
    const step: UndoStep = { meta: new Map(), texts: new Map(), lists: new Map(), registers: new Map() };
    for (const key of new Set([...texts.keys(), ...marks.keys()])) {
      const { inserted = [], hidden = [] } = texts.get(key) ?? {};
      const keeper = this.#parts.keeper(key);
      const written = marks.get(key) ?? [];
      const marked = keeper?.stepsOf(written) ?? [];
      const held = keeper?.heldBy(hidden, written) ?? [];
      if (!texts.has(key) && marked.length === 0) continue;
      step.texts.set(key, { inserted: [...inserted], cuts: this.#parts.text(key).read(hidden), marks: marked, held });
    }
    for (const [key, { inserted, hidden }] of lists) {
      const items = this.#parts.list(key);
      const came = items.seated(inserted).filter((seated) => items.isOn(seated));
      step.lists.set(key, { came, left: items.left(hidden) });
    }
    for (const [key, before] of registers) {
      const after = this.#parts.register(key);
      if (!isEqual(before, after)) step.registers.set(key, { before: copy(before), after: copy(after) });
    }
    return step.texts.size + step.lists.size + step.registers.size === 0 ? undefined : step;
  }

  #invert(step: UndoStep): void {
    for (const [key, text] of step.texts) this.#invertText(key, text);
    for (const [key, list] of step.lists) this.#invertList(key, list);
    for (const [key, register] of step.registers) this.#invertRegister(key, register);
  }

  #invertText(key: number, { inserted, cuts, marks, held }: TextStep): void {
    const elements = this.#parts.text(key);
    const keeper = this.#parts.keeper(key);
    keeper?.invert(marks);
    elements.hide(inserted);
    const present = keeper?.heldBy(cuts) ?? [];
    const shown = elements.show(cuts);
    keeper?.give(held, present, shown);
    const index = new RunIndex(shown);
    for (const { texts } of this.#steps()) {
      const other = texts.get(key);
      if (!other) continue;
      other.inserted = follow(other.inserted, index);
      for (const { before } of other.marks) for (const piece of before) piece.runs = follow(piece.runs, index);
    }
  }

  #invertList(key: number, { came, left }: ListStep): void {
    const items = this.#parts.list(key);
    for (const { item, seat } of left) {
      const moved = came.find((one) => isSame(one.item, item));
      // Who has moved it since has put it where it is.
      if (moved && items.isOn(moved)) this.#follow(key, { item, seat }, { item, seat: items.moveTo(item, seat) });
    }
    for (const { item } of came)
      if (!left.some((one) => isSame(one.item, item)) && !items.isGone(item)) items.delete(item);
    for (const one of left)
      if (!came.some(({ item }) => isSame(item, one.item)) && items.isGone(one.item)) {
        const item = items.restore(one);
        this.#follow(key, one, { item, seat: item });
      }
  }

  /** An item that is back stands on another seat, and is another one if it was inserted anew: for all steps. */
  #follow(key: number, from: Seated, to: Seated): void {
    for (const { lists } of this.#steps()) {
      const list = lists.get(key);
      if (!list) continue;
      list.came = list.came.map((one) => {
        if (!isSame(one.item, from.item)) return one;
        return isSame(one.seat, from.seat) ? to : { item: to.item, seat: one.seat };
      });
      list.left = list.left.map((one) => (isSame(one.item, from.item) ? { ...one, item: to.item } : one));
    }
  }

  #invertRegister(key: number, { before, after }: RegisterStep): void {
    if (isEqual(this.#parts.register(key), after)) this.#parts.write(key, before);
  }

  #steps(): UndoStep[] {
    return [...this.#done, ...this.#undone];
  }

  /** Once nodes were given up, elements have other names: steps from before would undo what they did not do. */
  #forgetOthers(): void {
    const epoch = this.#parts.epoch();
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.clear();
  }
}

/** What characters were marked as before is known of one batch at a time. */
function hasMarks({ texts }: UndoStep): boolean {
  return [...texts.values()].some(({ marks }) => marks.length > 0);
}

function touchesTheSame(a: UndoStep, b: UndoStep): boolean {
  const isWithin = (one: ReadonlyMap<number, unknown>, other: ReadonlyMap<number, unknown>): boolean =>
    one.size === other.size && [...one.keys()].every((key) => other.has(key));
  return isWithin(a.texts, b.texts) && isWithin(a.lists, b.lists) && isWithin(a.registers, b.registers);
}

function copy(value: Uint8Array | BlobRef | undefined): Uint8Array | BlobRef | undefined {
  return value instanceof Uint8Array ? value.slice() : value;
}
