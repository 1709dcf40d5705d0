/**
 * Binding of rich text to ProseMirror: what is edited is written, what others write is shown in steps that touch no more than
 * they must, selections of others are drawn, and undo takes back one's own alone. Put it in place of `history()`.
 */
import type { Replica } from '@weft/core/client';
import { type Command, Plugin, PluginKey, type PluginView } from 'prosemirror-state';
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view';
import { type Cursors, type RemoteCursor, colorOf } from './editing/cursors.js';
import { SharedDocument, type SharedDocumentOptions, TRAIL, trailField } from './rich/shared-document.js';

export { SHARED } from './editing/bound-text.js';
export {
  type CursorLook,
  type Cursors,
  type RemoteCursor,
  type SharedSelection,
  presenceCursors,
} from './editing/cursors.js';
export { type SharedDocumentOptions, documentOf } from './rich/shared-document.js';

/** Plugins for an editor of any schema. What it was made with gives way to what the text holds. */
export function sharedDocument(replica: Replica, key: string, options: SharedDocumentOptions = {}): Plugin[] {
  const plugin = new Plugin({
    key: TRAIL,
    state: trailField,
    view: (view) => new DocumentView(view, replica, key, options),
    props: {
      handleKeyDown(view, event) {
        const command = commandOf(event);
        command?.(view.state, view.dispatch, view);
        return command !== undefined;
      },
      handleDOMEvents: {
        beforeinput(view, event) {
          const command = { historyUndo: undo, historyRedo: redo }[event.inputType];
          if (!command) return false;
          event.preventDefault();
          command(view.state, view.dispatch, view);
          return true;
        },
      },
    },
  });
  return options.cursors ? [plugin, cursorPlugin(options.cursors)] : [plugin];
}

/** Takes back the newest of one's own edits. */
export const undo: Command = (_state, dispatch, view) => turn('undo', view, dispatch !== undefined);
/** Does again what was taken back last. */
export const redo: Command = (_state, dispatch, view) => turn('redo', view, dispatch !== undefined);

/** Documents of the views that there are. */
const documents = new WeakMap<EditorView, SharedDocument>();

function turn(kind: 'undo' | 'redo', view: EditorView | undefined, isMeant: boolean): boolean {
  const document = view && documents.get(view);
  if (!document) return false;
  if (isMeant) return document.undo[kind]();
  return kind === 'undo' ? document.undo.canUndo : document.undo.canRedo;
}

function commandOf({ key, code, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): Command | undefined {
  const isMac = /Mac|iP(hone|ad|od)/.test(navigator.platform);
  if (altKey || (isMac ? !metaKey || ctrlKey : !ctrlKey || metaKey)) return undefined;
  // Keys of other scripts have the letters of their places.
  const letter = (key.codePointAt(0) ?? 0) < 0x80 ? key.toLowerCase() : code.replace('Key', '').toLowerCase();
  if (letter === 'z') return shiftKey ? redo : undo;
  return letter === 'y' && !isMac && !shiftKey ? redo : undefined;
}

class DocumentView implements PluginView {
  readonly #document: SharedDocument;
  readonly #view: EditorView;

  constructor(view: EditorView, replica: Replica, key: string, options: SharedDocumentOptions) {
    this.#view = view;
    this.#document = new SharedDocument(view, view.state.schema, replica, key, options);
    documents.set(view, this.#document);
    // A view is made with its plugins before it can be changed.
    queueMicrotask(() => this.#document.begin());
  }

  update(...[, before]: Parameters<NonNullable<PluginView['update']>>): void {
    this.#document.updated(before);
  }

  destroy(): void {
    if (documents.get(this.#view) === this.#document) documents.delete(this.#view);
    this.#document.end();
  }
}

const CURSORS = new PluginKey<DecorationSet>('weft cursors');

/** Cursors and selections of others; they move with the text until their owners say where they are. */
function cursorPlugin(cursors: Cursors): Plugin {
  return new Plugin<DecorationSet>({
    key: CURSORS,
    state: {
      init: () => DecorationSet.empty,
      apply(tr, drawn) {
        const decorations = tr.getMeta(CURSORS) as Decoration[] | undefined;
        return decorations ? DecorationSet.create(tr.doc, decorations) : drawn.map(tr.mapping, tr.doc);
      },
    },
    view: (view) => {
      let [isWaiting, isOver] = [false, false];
      const draw = (): void => {
        if (isWaiting) return;
        isWaiting = true;
        // Presence may change while an editor is at work; what an input method composes is not drawn into.
        queueMicrotask(() => {
          isWaiting = false;
          if (isOver || view.composing) return;
          view.dispatch(view.state.tr.setMeta(CURSORS, decorationsOf(view, cursors)).setMeta('addToHistory', false));
        });
      };
      const ends = [cursors.onChange(draw)];
      view.dom.addEventListener('compositionend', draw);
      ends.push(() => view.dom.removeEventListener('compositionend', draw));
      draw();
      return {
        // Where somebody is may be known only with what he has written, and what is drawn goes with a block that is replaced.
        update: ({ state }, before) => {
          const carets = CURSORS.getState(state)?.find(undefined, undefined, ({ key }) => key !== undefined) ?? [];
          if (state.doc !== before.doc && carets.length < cursors.others.length) draw();
        },
        destroy() {
          isOver = true;
          for (const end of ends) end();
        },
      };
    },
    props: { decorations: (state) => CURSORS.getState(state) },
  });
}

function decorationsOf(view: EditorView, { others }: Cursors): Decoration[] {
  const places = documents
    .get(view)
    ?.positionsOf(others.flatMap(({ selection }) => [selection.anchor, selection.head]));
  return others.flatMap((cursor, index) => {
    const [anchor, head] = [places?.[2 * index], places?.[2 * index + 1]];
    if (anchor === undefined || head === undefined) return [];
    const caret = Decoration.widget(head, () => caretOf(cursor), {
      side: 10,
      key: JSON.stringify([cursor.id, cursor.name, cursor.color]),
      ignoreSelection: true,
    });
    if (anchor === head) return [caret];
    const style = `background: color-mix(in srgb, ${colorOf(cursor)} 25%, transparent)`;
    return [
      Decoration.inline(Math.min(anchor, head), Math.max(anchor, head), { class: 'weft-selection', style }),
      caret,
    ];
  });
}

function caretOf(cursor: RemoteCursor): HTMLElement {
  const caret = document.createElement('span');
  caret.className = 'weft-caret';
  caret.dataset['peer'] = cursor.id;
  caret.title = cursor.name ?? '';
  caret.style.borderLeft = `2px solid ${colorOf(cursor)}`;
  caret.style.marginLeft = '-1px';
  return caret;
}
