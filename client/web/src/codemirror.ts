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
import type { Replica, TextDelta } from '@weft/core/client';
import {
  BoundText,
  type EditorHands,
  type SharedTextOptions,
  type ShownCursor,
  type ShownEdit,
  type ShownSelection,
} from './editing/bound-text.js';
import { type RemoteCursor, colorOf } from './editing/cursors.js';

export { SHARED, type SharedTextOptions } from './editing/bound-text.js';
export {
  type CursorLook,
  type Cursors,
  type RemoteCursor,
  type SharedSelection,
  presenceCursors,
} from './editing/cursors.js';

/** Transactions that come from others: they are not edits of this view. */
const fromOthers = Annotation.define<true>();
const setCursors = StateEffect.define<readonly ShownCursor[]>();

/** The extension, for an editor whose document is `replica.text(key).toString()`. */
export function sharedText(replica: Replica, key: string, options: SharedTextOptions = {}): Extension {
  const plugin = ViewPlugin.define((view) => new SharedText(view, replica, key, options));
  const turn = (direction: 'undo' | 'redo') => (view: EditorView) => view.plugin(plugin)?.turn(direction) ?? false;
  const keys = keymap.of([
    { key: 'Mod-z', run: turn('undo'), preventDefault: true },
    { key: 'Mod-y', mac: 'Mod-Shift-z', run: turn('redo'), preventDefault: true },
    { key: 'Mod-Shift-z', run: turn('redo'), preventDefault: true },
  ]);
  return [plugin, Prec.high(keys), options.cursors ? remoteCursors : []];
}

class SharedText implements PluginValue, EditorHands {
  readonly #view: EditorView;
  readonly #text: BoundText;

  constructor(view: EditorView, replica: Replica, key: string, options: SharedTextOptions) {
    this.#view = view;
    this.#text = new BoundText(this, replica, key, options);
  }

  update({ transactions, changes, selectionSet }: ViewUpdate): void {
    const isOwn = transactions.some((one) => one.docChanged && one.annotation(fromOthers) === undefined);
    if (isOwn) {
      const edits: ShownEdit[] = [];
      changes.iterChanges((from, to, _fromB, _toB, typed) => {
        edits.push({ from, gone: to - from, typed: typed.toString() });
      });
      this.#text.write(edits);
    }
    if (selectionSet || isOwn) this.#text.selected(!isOwn);
  }

  destroy(): void {
    this.#text.end();
  }

  turn(direction: 'undo' | 'redo'): boolean {
    return this.#text.undo[direction]();
  }

  read(): string {
    return this.#view.state.doc.toString();
  }

  apply(delta: TextDelta): void {
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

  selection(): ShownSelection {
    return this.#view.state.selection.main;
  }

  select(selection: ShownSelection): void {
    this.#dispatch({ selection, scrollIntoView: true });
  }

  draw(cursors: readonly ShownCursor[]): void {
    this.#view.dispatch({ effects: setCursors.of(cursors) });
  }

  #dispatch(spec: TransactionSpec): void {
    this.#view.dispatch({ ...spec, annotations: fromOthers.of(true) });
  }
}

class Caret extends WidgetType {
  readonly #cursor: RemoteCursor;

  constructor(cursor: RemoteCursor) {
    super();
    this.#cursor = cursor;
  }

  override eq(other: Caret): boolean {
    const { id, name, color } = other.#cursor;
    return this.#cursor.id === id && this.#cursor.name === name && this.#cursor.color === color;
  }

  toDOM(): HTMLElement {
    const caret = document.createElement('span');
    caret.className = 'weft-caret';
    caret.dataset['peer'] = this.#cursor.id;
    caret.title = this.#cursor.name ?? '';
    caret.style.borderLeft = `2px solid ${colorOf(this.#cursor)}`;
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
  const attributes = { style: `background: color-mix(in srgb, ${colorOf(cursor)} 25%, transparent)` };
  const mark = Decoration.mark({ class: 'weft-selection', attributes });
  return [mark.range(Math.min(anchor, head), Math.max(anchor, head)), caret];
}
