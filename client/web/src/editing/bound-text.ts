/**
 * Text bound to an editor, whichever it is: what is typed is edited, what others edit is applied, cursors of others are drawn,
 * and undo takes back one's own edits alone and puts the selection where it was.
 */
import type { ChangeEvent, Replica, TextDelta, Undo } from '@weft/core/client';
import { createUndo } from '@weft/core/bindings';
import type { Cursors, RemoteCursor, SharedSelection } from './cursors.js';
import { deltaBetween, differenceOf, through } from './difference.js';
import { LineBreaks } from './line-breaks.js';

/** How a text is bound to an editor. */
export interface SharedTextOptions {
  readonly cursors?: Cursors;
  /** Undo of more than this text: made by `createUndo` with the origin `SHARED`. */
  readonly undo?: Undo;
}

/** Origin of the edits of all bound editors. */
export const SHARED = Symbol('shared text');

/** Halves of characters that stand alone. */
const HALF = /\p{Surrogate}/u;
const HALVES = /\p{Surrogate}/gu;

/** Positions in what an editor shows. */
export interface ShownSelection {
  readonly anchor: number;
  readonly head: number;
}

export interface ShownCursor extends ShownSelection {
  readonly cursor: RemoteCursor;
}

export interface ShownEdit {
  readonly from: number;
  readonly gone: number;
  readonly typed: string;
}

/** What an editor does for a binding. None of it is an edit of its user. */
export interface EditorHands {
  /** What it shows, with `\n` as line break. */
  read(): string;
  apply(delta: TextDelta): void;
  selection(): ShownSelection;
  select(selection: ShownSelection): void;
  draw(cursors: readonly ShownCursor[]): void;
}

export class BoundText {
  readonly #editor: EditorHands;
  readonly #replica: Replica;
  readonly #key: string;
  readonly #undo: Undo;
  readonly #cursors: Cursors | undefined;
  readonly #lines: LineBreaks;
  readonly #ends: (() => void)[];
  #isWriting = false;
  /** Whether the editor has what events that are still to be told say. */
  #isAhead = false;
  /** While an input method composes: what the editor showed at its begin, and what others have written since. */
  #composing: { readonly before: string; shown: string; readonly held: TextDelta[] } | undefined;
  /** Whether the editor shows half of a character, which no text can hold. */
  #hasHalf = false;
  #isOver = false;

  constructor(editor: EditorHands, replica: Replica, key: string, { cursors, undo }: SharedTextOptions) {
    this.#editor = editor;
    this.#replica = replica;
    this.#key = key;
    this.#cursors = cursors;
    this.#undo = undo ?? createUndo(replica, { keys: [key], origins: [SHARED] });
    this.#lines = new LineBreaks(() => replica.text(key).toString());
    this.#ends = [
      replica.observe(key, (event) => this.#take(event)),
      this.#undo.onAdded(({ meta }) => void (meta.has(this) || meta.set(this, this.#selection()))),
      this.#undo.onPopped(({ meta }) => this.#select(meta.get(this) as SharedSelection | undefined)),
      cursors?.onChange(() => this.#draw()) ?? (() => undefined),
    ];
    if (!undo) this.#ends.push(() => this.#undo.close());
    queueMicrotask(() => this.#begin());
  }

  get undo(): Undo {
    return this.#undo;
  }

  /** What the editor shows when all is written and applied. */
  get shown(): string {
    return this.#lines.shown;
  }

  /** Edits of the user, in positions from before all of them, none within another. */
  write(edits: readonly ShownEdit[]): void {
    if (!this.#hasHalf)
      try {
        return this.#write(edits);
      } catch {
        // A browser may tell only the half of a character that differs from the one before, and editors pass that on.
      }
    const { start, gone, typed } = differenceOf(this.shown, this.#editor.read());
    const hadHalf = this.#hasHalf;
    this.#hasHalf = HALF.test(typed) && !hadHalf;
    if (this.#hasHalf) return; // the other one may follow
    this.#write([{ from: start, gone, typed: typed.replaceAll(HALVES, '\ufffd') }]);
    if (hadHalf) queueMicrotask(() => void (this.#isOver || this.#composing || this.#catchUp()));
  }

  #write(edits: readonly ShownEdit[]): void {
    const text = this.#replica.text(this.#key);
    const shared = edits.map(({ from, gone, typed }) => {
      const start = this.#lines.toText(from);
      return { start, gone: this.#lines.toText(from + gone) - start, typed };
    });
    shared.sort((a, b) => b.start - a.start);
    this.#isWriting = true;
    this.#isAhead = true;
    try {
      this.#replica.transact(() => {
        for (const { start, gone, typed } of shared) {
          text.delete(start, gone);
          text.insert(start, typed);
        }
      }, SHARED);
    } finally {
      this.#isWriting = false;
    }
    // What is written while others are being told of something is told after that.
    if (this.#isAhead) queueMicrotask(() => (this.#isAhead = false));
    // A line break that was typed behind a lone return is one with it.
    if (this.#lines.hasReturns) queueMicrotask(() => void (this.#isOver || this.#composing || this.#catchUp()));
  }

  /** The selection is another one; by the user's own will, unless an edit has moved it. */
  selected(isByWill: boolean): void {
    if (isByWill) this.#undo.stop();
    this.#cursors?.show(this.#selection());
  }

  get isComposing(): boolean {
    return this.#composing !== undefined;
  }

  /** An input method begins: what others write waits, and what it does is written when it is done. */
  compose(): void {
    const before = this.shown;
    this.#composing ??= { before, shown: before, held: [] };
  }

  /** What was composed is an edit of what was shown then; what others wrote meanwhile came before it. */
  composed(): void {
    if (!this.#composing) return;
    const { before, held } = this.#composing;
    this.#composing = undefined;
    const caret = this.#editor.selection().head;
    const { start, gone, typed } = differenceOf(before, this.#editor.read(), caret);
    const moved = (at: number): number => held.reduce((position, delta) => through(delta, position), at);
    const from = moved(start);
    const edit = { from, gone: moved(start + gone) - from, typed };
    if (edit.gone > 0 || typed !== '') this.write([edit]);
    if (held.length === 0) return;
    this.#catchUp();
    const end = from + typed.length;
    const head = caret > start + typed.length ? end + moved(caret - typed.length + gone) - from - edit.gone : end;
    this.#editor.select({ anchor: head, head });
    this.#draw();
  }

  end(): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
  }

  /** An editor may have been made before something else came. */
  #begin(): void {
    if (this.#isOver) return;
    this.#catchUp();
    this.#draw();
  }

  #catchUp(): void {
    const delta = deltaBetween(this.#editor.read(), this.#lines.shown);
    if (delta.length > 0) this.#editor.apply(delta);
    this.#hasHalf = false;
  }

  #take({ changes }: ChangeEvent): void {
    if (this.#isWriting) return void (this.#isAhead = false);
    for (const change of changes) {
      if (change.kind !== 'text') continue;
      const delta = this.#lines.shownDelta(change.delta, () => this.#composing?.shown ?? this.#editor.read());
      if (this.#composing) {
        this.#composing.held.push(delta);
        this.#composing.shown = this.shown;
      } else if (this.#isAhead || this.#hasHalf) this.#catchUp();
      else if (delta.length > 0) this.#editor.apply(delta);
    }
    this.#draw();
  }

  #selection(): SharedSelection {
    const { anchor, head } = this.#editor.selection();
    const text = this.#replica.text(this.#key);
    const at = (shown: number): string => text.anchorAt(Math.min(this.#lines.toText(shown), text.length));
    return { anchor: at(anchor), head: at(head) };
  }

  #select(selection: SharedSelection | undefined): void {
    if (!selection) return;
    const [anchor, head] = this.#shown([selection.anchor, selection.head]);
    if (anchor !== undefined && head !== undefined) this.#editor.select({ anchor, head });
  }

  /** Drawn after what goes on is over: presence may change while an editor is at work. */
  #draw(): void {
    if (this.#cursors) queueMicrotask(() => void (this.#isOver || this.#composing || this.#drawNow(this.#cursors!)));
  }

  #drawNow({ others }: Cursors): void {
    const places = this.#shown(others.flatMap(({ selection }) => [selection.anchor, selection.head]));
    const cursors = others.flatMap((cursor, i) => {
      const [anchor, head] = [places[2 * i], places[2 * i + 1]];
      return anchor === undefined || head === undefined ? [] : [{ cursor, anchor, head }];
    });
    this.#editor.draw(cursors);
  }

  #shown(anchors: readonly string[]): (number | undefined)[] {
    const places = this.#replica.text(this.#key).positionsOf(anchors);
    return places.map((place) => (place === undefined ? undefined : this.#lines.toShown(place)));
  }
}
