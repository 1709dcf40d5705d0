import type { AnyRoom, Room } from '@weft/client';
import { presenceCursors, sharedEditing } from '@weft/client/tiptap';
import { Editor } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';

declare const room: Room<AnyRoom>;
declare const element: HTMLElement;

// example: sharedEditing
const cursors = presenceCursors(room, 'body', { name: 'Ann', color: '#c2410c' });
const editor = new Editor({
  element,
  extensions: [StarterKit.configure({ undoRedo: false }), sharedEditing(room.replica, 'body', { cursors })],
});
editor.commands.undo(); // one's own edits alone
