import type { AnyRoom, Room } from '@weft/client';
import { presenceCursors, sharedText } from '@weft/client/codemirror';
import { EditorView } from '@codemirror/view';

declare const room: Room<AnyRoom>;
declare const parent: HTMLElement;

// example: sharedText
const view = new EditorView({
  doc: room.textOf('body'),
  extensions: [sharedText(room.replica, 'body')],
  parent,
});

// example: presenceCursors
const cursors = presenceCursors(room, 'body', { name: 'Ann', color: '#c2410c' });
const withCursors = new EditorView({
  doc: room.textOf('body'),
  extensions: [sharedText(room.replica, 'body', { cursors })],
  parent,
});
