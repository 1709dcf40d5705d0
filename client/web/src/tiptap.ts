/** Extension of Tiptap for rich text that several edit. Switch its own undo off: `StarterKit.configure({ undoRedo: false })`. */
import { Extension } from '@tiptap/core';
import type { Replica } from '@weft/core/client';
import { type SharedDocumentOptions, redo, sharedDocument, undo } from './prosemirror.js';

export {
  type CursorLook,
  type Cursors,
  type RemoteCursor,
  SHARED,
  type SharedDocumentOptions,
  type SharedSelection,
  documentOf,
  presenceCursors,
} from './prosemirror.js';

declare module '@tiptap/core' {
  interface Commands<ReturnType> {
    weft: {
      /** Takes back the newest of one's own edits. */
      undo: () => ReturnType;
      /** Does again what was taken back last. */
      redo: () => ReturnType;
    };
  }
}

/** The extension: `extensions: [StarterKit.configure({ undoRedo: false }), sharedEditing(room.replica, 'body')]`. */
export function sharedEditing(replica: Replica, key: string, options: SharedDocumentOptions = {}): Extension {
  return Extension.create({
    name: 'weft',
    priority: 1000,
    addProseMirrorPlugins: () => sharedDocument(replica, key, options),
    addCommands: () => ({
      undo:
        () =>
        ({ tr, state, dispatch, view }) => {
          tr.setMeta('preventDispatch', true);
          return undo(state, dispatch, view);
        },
      redo:
        () =>
        ({ tr, state, dispatch, view }) => {
          tr.setMeta('preventDispatch', true);
          return redo(state, dispatch, view);
        },
    }),
    onBeforeCreate() {
      const { extensions } = this.editor.extensionManager;
      if (extensions.some(({ name }) => name === 'undoRedo' || name === 'history'))
        console.warn(
          'weft: undo of Tiptap takes back what others have written: configure StarterKit with undoRedo: false',
        );
    },
  });
}
