/**
 * Binding of a text to CodeMirror 6: what is typed is edited, what others edit is dispatched, selections of others are drawn, and
 * undo takes back one's own alone. Put it in place of `history()`.
 */
import {
  Annotation,
  type ChangeSpec,
  type Extension,
  Prec,
  StateEffect,
  StateField,
  type TransactionSpec,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type PluginValue,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
  keymap,
} from '@codemirror/view';
import type { Anchor, ChangeEvent, Replica, TextDelta, Undo } from '@weft/core/client';

/** Selection of somebody, as presence carries it. */
export interface SharedSelection {
  readonly anchor: Anchor;
  readonly head: Anchor;
}

/** Cursor of somebody else. */
export interface RemoteCursor {
  readonly id: string;
  readonly name?: string;
  readonly color?: string;
  readonly selection: SharedSelection;
}

/** Cursors of others, and where one's own is told. */
export interface Cursors {
  show(selection: SharedSelection): void;
  readonly others: readonly RemoteCursor[];
  onChange(listener: () => void): () => void;
}

export interface SharedTextOptions {
  readonly cursors?: Cursors;
  /** Undo of more than this text: made by `replica.undo` with the origin `SHARED`. */
  readonly undo?: Undo;
}

/** Origin of the edits of all bound editors. */
export const SHARED = Symbol('shared text');

/** Transactions that come from others: they are not edits of this view. */
const fromOthers = Annotation.define<true>();
const setCursors = StateEffect.define<readonly ShownCursor[]>();

interface ShownCursor {
  readonly cursor: RemoteCursor;
  readonly anchor: number;
  readonly head: number;
}

/** The extension, for an editor whose document is `replica.text(key).toString()`. */
export function sharedText(replica: Replica, key: string, { cursors, undo }: SharedTextOptions = {}): Extension {
  const origin = SHARED;
  const history = undo ?? replica.undo({ keys: [key], origins: [origin] });
  const plugin = ViewPlugin.define((view) => new SharedText(view, replica, key, history, cursors, undo === undefined));
  const turn = (direction: 'undo' | 'redo') => (view: EditorView) => view.plugin(plugin)?.turn(direction) ?? false;
  const keys = keymap.of([
    { key: 'Mod-z', run: turn('undo'), preventDefault: true },
    { key: 'Mod-y', mac: 'Mod-Shift-z', run: turn('redo'), preventDefault: true },
    { key: 'Mod-Shift-z', run: turn('redo'), preventDefault: true },
  ]);
  return [plugin, Prec.high(keys), cursors ? remoteCursors : []];
}

class SharedText implements PluginValue {
  readonly #view: EditorView;
  readonly #replica: Replica;
  readonly #key: string;
  readonly #undo: Undo;
  readonly #cursors: Cursors | undefined;
  readonly #ownsUndo: boolean;
  readonly #ends: (() => void)[];
  #isApplying = false;

  constructor(
    view: EditorView,
    replica: Replica,
    key: string,
    undo: Undo,
    cursors: Cursors | undefined,
    ownsUndo: boolean,
  ) {
    this.#view = view;
    this.#replica = replica;
    this.#key = key;
    this.#undo = undo;
    this.#cursors = cursors;
    this.#ownsUndo = ownsUndo;
    this.#ends = [
      replica.observe(key, (event) => this.#take(event)),
      undo.onAdded(({ meta }) => void (meta.has(this) || meta.set(this, this.#selection()))),
      undo.onPopped(({ meta }) => this.#select(meta.get(this) as SharedSelection | undefined)),
      cursors?.onChange(() => queueMicrotask(() => this.#draw())) ?? (() => undefined),
    ];
    queueMicrotask(() => this.#catchUp());
  }

  update(update: ViewUpdate): void {
    const isOwn = update.transactions.some((one) => one.docChanged && one.annotation(fromOthers) === undefined);
    if (isOwn) this.#write(update);
    if (update.selectionSet || isOwn) {
      if (!isOwn) this.#undo.stop();
      this.#cursors?.show(this.#selection());
    }
  }

  destroy(): void {
    for (const end of this.#ends) end();
    if (this.#ownsUndo) this.#undo.close();
  }

  turn(direction: 'undo' | 'redo'): boolean {
    return direction === 'undo' ? this.#undo.undo() : this.#undo.redo();
  }

  /** The document of an editor that was made before something else came. */
  #catchUp(): void {
    const now = this.#replica.text(this.#key).toString();
    const shown = this.#view.state.doc.toString();
    if (now !== shown) this.#dispatch({ changes: { from: 0, to: shown.length, insert: now } });
    this.#draw();
  }

  /** What one transaction of the view has changed, from its end, so that positions stay those of before. */
  #write(update: ViewUpdate): void {
    const text = this.#replica.text(this.#key);
    const edits: [from: number, gone: number, typed: string][] = [];
    update.changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
      edits.push([fromA, toA - fromA, inserted.toString()]);
    });
    this.#isApplying = true;
    try {
      this.#replica.transact(() => {
        for (const [from, gone, typed] of edits.reverse()) {
          text.delete(from, gone);
          text.insert(from, typed);
        }
      }, SHARED);
    } finally {
      this.#isApplying = false;
    }
  }

  #take({ changes }: ChangeEvent): void {
    if (this.#isApplying) return;
    for (const change of changes) if (change.kind === 'text') this.#apply(change.delta);
    this.#draw();
  }

  #apply(delta: TextDelta): void {
    const changes: ChangeSpec[] = [];
    let at = 0;
    for (const step of delta) {
      if ('retain' in step) at += step.retain;
      else if ('insert' in step) changes.push({ from: at, insert: step.insert });
      else {
        changes.push({ from: at, to: at + step.delete });
        at += step.delete;
      }
    }
    this.#dispatch({ changes });
  }

  #dispatch(spec: TransactionSpec): void {
    this.#view.dispatch({ ...spec, annotations: fromOthers.of(true) });
  }

  #selection(): SharedSelection {
    const { main } = this.#view.state.selection;
    const text = this.#replica.text(this.#key);
    const at = (position: number): Anchor => text.anchorAt(Math.min(position, text.length));
    return { anchor: at(main.anchor), head: at(main.head) };
  }

  #select(selection: SharedSelection | undefined): void {
    if (!selection) return;
    const [anchor, head] = this.#replica.text(this.#key).positionsOf([selection.anchor, selection.head]);
    if (anchor === undefined || head === undefined) return;
    this.#view.dispatch({ selection: { anchor, head }, scrollIntoView: true, annotations: fromOthers.of(true) });
  }

  #draw(): void {
    if (!this.#cursors) return;
    const { others } = this.#cursors;
    const places = this.#replica
      .text(this.#key)
      .positionsOf(others.flatMap(({ selection }) => [selection.anchor, selection.head]));
    const { length } = this.#view.state.doc;
    const shown = others.flatMap((cursor, i) => {
      const [anchor, head] = [places[2 * i], places[2 * i + 1]];
      if (anchor === undefined || head === undefined || anchor > length || head > length) return [];
      return [{ cursor, anchor, head }];
    });
    this.#view.dispatch({ effects: setCursors.of(shown) });
  }
}

class Caret extends WidgetType {
  readonly #cursor: RemoteCursor;

  constructor(cursor: RemoteCursor) {
    super();
    this.#cursor = cursor;
  }

  override eq(other: Caret): boolean {
    return this.#cursor.id === other.#cursor.id && this.#cursor.color === other.#cursor.color;
  }

  toDOM(): HTMLElement {
    const caret = document.createElement('span');
    caret.className = 'weft-caret';
    caret.dataset['peer'] = this.#cursor.id;
    caret.title = this.#cursor.name ?? '';
    caret.style.borderLeft = `2px solid ${this.#cursor.color ?? 'orange'}`;
    caret.style.marginLeft = '-1px';
    return caret;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Cursors and selections of others; they move with the text until their owners say where they are. */
const remoteCursors = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (drawn, { changes, effects }) => {
    const set = effects.find((effect) => effect.is(setCursors));
    if (!set) return drawn.map(changes);
    return Decoration.set((set.value as readonly ShownCursor[]).flatMap(decorationsOf), true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorationsOf({ cursor, anchor, head }: ShownCursor) {
  const caret = Decoration.widget({ widget: new Caret(cursor), side: 1 }).range(head);
  if (anchor === head) return [caret];
  const attributes = { style: `background: color-mix(in srgb, ${cursor.color ?? 'orange'} 25%, transparent)` };
  const mark = Decoration.mark({ class: 'weft-selection', attributes });
  return [mark.range(Math.min(anchor, head), Math.max(anchor, head)), caret];
}
