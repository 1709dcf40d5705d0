/**
 * Document bound to a marked text: what is edited in an editor is written, what others write is shown, and undo takes back
 * one's own alone. It needs a state and a way to change it, and no page.
 */
import type { ChangeEvent, Replica, TextDelta, Undo } from '@weft/core/client';
import { type RichText, createUndo, richText } from '@weft/core/bindings';
import type { Node, Schema } from 'prosemirror-model';
import { type EditorState, PluginKey, type StateField, TextSelection, type Transaction } from 'prosemirror-state';
import type { StepMap } from 'prosemirror-transform';
import { SHARED } from '../editing/bound-text.js';
import type { Cursors, SharedSelection } from '../editing/cursors.js';
import { through } from '../editing/difference.js';
import { Rows } from './document-rows.js';
import { type Folded, Folding } from './folding.js';
import { type Line, editedLines, linesOf } from './lines.js';
import { Names } from './names.js';
import { patch } from './patching.js';
import { Positions } from './positions.js';
import { type ChangedRange, rangeBetween, rangesOf } from './ranges.js';
import { writeDocument } from './writing.js';

/** How rich text is bound to an editor. */
export interface SharedDocumentOptions {
  readonly cursors?: Cursors;
  /** Undo of more than this text: made by `replica.undo` with the origin `SHARED`. */
  readonly undo?: Undo;
  /** Type of the blocks of which nothing is said; `paragraph` when absent, or the first one that holds text. */
  readonly plain?: string;
}

/** What an editor does for a binding. */
export interface DocumentHands {
  readonly state: EditorState;
  dispatch(tr: Transaction): void;
}

/** Steps that have led to a document, from the one before. */
export interface Trail {
  readonly doc: Node;
  readonly maps: readonly StepMap[];
  /** Undefined once it was written. */
  before: Trail | undefined;
}

export const TRAIL = new PluginKey<Trail>('weft document');

/** State of the plugin that has `TRAIL` as its key. */
export const trailField: StateField<Trail> = {
  init: (_config, { doc }) => ({ doc, maps: [], before: undefined }),
  apply: (tr, before) => (tr.docChanged ? { doc: tr.doc, maps: tr.mapping.maps, before } : before),
};

/** Document of a schema that a text holds: to make an editor with, or to show without one. */
export function documentOf(replica: Replica, key: string, schema: Schema, plain?: string): Node {
  return new Folding(new Names(schema, plain)).fold(linesOf(richText(replica, key).spans())).doc;
}

export class SharedDocument {
  readonly #editor: DocumentHands;
  readonly #replica: Replica;
  readonly #key: string;
  readonly #rich: RichText;
  readonly #undo: Undo;
  readonly #cursors: Cursors | undefined;
  readonly #rows: Rows;
  readonly #folding: Folding;
  readonly #ends: (() => void)[];
  #lines: Line[];
  #shown: Folded;
  /** What others have written and the editor does not show. */
  #held: TextDelta[] = [];
  /** What is being written here; undefined when nothing is. */
  #own: TextDelta[] | undefined;
  /** Whether the lines have what events that are still to be told say. */
  #isAhead = false;
  #isShowing = false;
  #isBegun = false;
  #isOver = false;

  constructor(editor: DocumentHands, schema: Schema, replica: Replica, key: string, options: SharedDocumentOptions) {
    const { cursors, undo, plain } = options;
    const names = new Names(schema, plain);
    this.#editor = editor;
    this.#replica = replica;
    this.#key = key;
    this.#rich = richText(replica, key);
    this.#cursors = cursors;
    this.#undo = undo ?? createUndo(replica, { keys: [key], origins: [SHARED] });
    this.#rows = new Rows(names);
    this.#folding = new Folding(names);
    this.#lines = linesOf(this.#rich.spans());
    this.#shown = this.#folding.fold(this.#lines, editor.state.doc);
    this.#ends = [
      replica.observe(key, (event) => this.#take(event)),
      this.#undo.onAdded(({ meta }) => void (meta.has(this) || meta.set(this, this.selection()))),
      this.#undo.onPopped(({ meta }) => this.#select(meta.get(this) as SharedSelection | undefined)),
    ];
    if (!undo) this.#ends.push(() => this.#undo.close());
    if (this.#shown.doc.eq(editor.state.doc)) this.begin();
  }

  get undo(): Undo {
    return this.#undo;
  }

  /** Shows what the text holds, in an editor that was made with something else. */
  begin(): void {
    if (this.#isOver || this.#isBegun) return;
    this.#isBegun = true;
    this.#show();
  }

  /** The editor has another state. */
  updated(before: EditorState): void {
    const { doc, selection } = this.#editor.state;
    if (this.#isOver || this.#isShowing || !this.#isBegun) return;
    const isEdited = doc !== this.#shown.doc;
    if (isEdited) this.#write(doc);
    if (isEdited || !selection.eq(before.selection)) this.#selected(!isEdited && before.doc === doc);
  }

  end(): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
  }

  /** Where the selection is, by characters. */
  selection(): SharedSelection {
    const { anchor, head } = this.#editor.state.selection;
    const text = this.#replica.text(this.#key);
    const positions = this.#positions();
    const at = (pos: number): string => text.anchorAt(Math.min(positions.toText(pos), text.length));
    return { anchor: at(anchor), head: at(head) };
  }

  /** Positions in the document, of positions in the text by their anchors; undefined for those of which nothing is known. */
  positionsOf(anchors: readonly string[]): (number | undefined)[] {
    const positions = this.#positions();
    const places = this.#replica.text(this.#key).positionsOf(anchors);
    return places.map((place) => (place === undefined ? undefined : positions.toDocument(place)));
  }

  #selected(isByWill: boolean): void {
    if (isByWill) this.#undo.stop();
    this.#cursors?.show(this.selection());
  }

  #positions(): Positions {
    return new Positions(this.#rows.of(this.#shown.doc), this.#shown.lineOf, this.#lines);
  }

  #write(doc: Node): void {
    const ranges = this.#rangesTo(doc);
    const held = this.#held;
    this.#own = [];
    this.#isAhead = true;
    try {
      this.#replica.transact(() => {
        writeDocument(this.#rows, this.#shown, this.#lines, doc, ranges, {
          text: this.#replica.text(this.#key),
          rich: this.#rich,
          moved: (position) => held.reduce((at, delta) => through(delta, at), position),
        });
      }, SHARED);
    } finally {
      const own = this.#own;
      this.#own = undefined;
      this.#held = [];
      // What is written while others are being told of something is told after that.
      if (this.#isAhead) {
        this.#lines = linesOf(this.#rich.spans());
        queueMicrotask(() => (this.#isAhead = false));
      } else for (const delta of [...held, ...own]) this.#lines = editedLines(this.#lines, delta);
      this.#show();
    }
  }

  /** What the editor's transactions have changed since it showed the text. */
  #rangesTo(doc: Node): ChangedRange[] {
    const maps: (readonly StepMap[])[] = [];
    let trail = TRAIL.getState(this.#editor.state);
    for (; trail && trail.doc !== this.#shown.doc; trail = trail.before) maps.unshift(trail.maps);
    if (trail) return rangesOf(maps.flat());
    const between = rangeBetween(this.#shown.doc, doc);
    return between ? [between] : [];
  }

  #take({ changes }: ChangeEvent): void {
    const deltas = changes.flatMap((change) => (change.kind === 'text' ? [change.delta] : []));
    if (this.#own) {
      this.#isAhead = false;
      this.#own.push(...deltas);
    } else if (this.#isAhead) {
      this.#lines = linesOf(this.#rich.spans());
      this.#show();
    } else if (this.#isBegun && this.#editor.state.doc !== this.#shown.doc) this.#held.push(...deltas);
    else {
      const before = this.#positions();
      for (const delta of deltas) this.#lines = editedLines(this.#lines, delta);
      this.#show((pos) => deltas.reduce((at, delta) => through(delta, at), before.toText(pos)));
    }
  }

  /** Shows the lines. `placeOf` says where in the text a position is that the document had until now. */
  #show(placeOf?: (pos: number) => number): void {
    const { state } = this.#editor;
    const { doc, lineOf } = this.#folding.fold(this.#lines, state.doc);
    if (!this.#isBegun) return void (this.#shown = { doc, lineOf });
    if (doc.eq(state.doc)) {
      this.#shown = { doc: state.doc, lineOf };
      if (!lineOf) this.#folding.adopt(this.#lines, state.doc);
      return this.#forgetTrail();
    }
    const { tr } = state;
    patch(tr, doc);
    this.#shown = { doc: tr.doc, lineOf };
    if (placeOf) this.#keepSelection(tr, state, placeOf);
    if (state.storedMarks) tr.setStoredMarks(state.storedMarks);
    this.#isShowing = true;
    try {
      this.#editor.dispatch(tr.setMeta('addToHistory', false).setMeta(TRAIL, true));
    } finally {
      this.#isShowing = false;
    }
    const { state: now } = this.#editor;
    if (now.doc === tr.doc) return this.#forgetTrail();
    let trail = TRAIL.getState(now);
    while (trail && trail.doc !== tr.doc) trail = trail.before;
    if (trail) return this.updated(now); // a plugin has edited what was shown
    this.end();
    throw new Error(
      'the editor did not apply what others have written: let transactions of others pass, and apply them at once',
    );
  }

  #forgetTrail(): void {
    const trail = TRAIL.getState(this.#editor.state);
    if (trail) trail.before = undefined;
  }

  #keepSelection(tr: Transaction, { selection }: EditorState, placeOf: (pos: number) => number): void {
    if (!(selection instanceof TextSelection)) return;
    const now = this.#positions();
    const [anchor, head] = [selection.anchor, selection.head].map((pos) => now.toDocument(placeOf(pos)));
    if (tr.selection.anchor === anchor && tr.selection.head === head) return;
    tr.setSelection(TextSelection.between(tr.doc.resolve(anchor!), tr.doc.resolve(head!)));
  }

  #select(selection: SharedSelection | undefined): void {
    if (!selection || this.#isOver) return;
    const [anchor, head] = this.positionsOf([selection.anchor, selection.head]);
    if (anchor === undefined || head === undefined) return;
    const { tr } = this.#editor.state;
    const [from, to] = [tr.doc.resolve(anchor), tr.doc.resolve(head)];
    this.#editor.dispatch(tr.setSelection(TextSelection.between(from, to)).scrollIntoView());
  }
}
