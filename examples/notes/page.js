/** The page: an editor with the cursors of others, and a line that says how things stand. */
import { EditorView } from '@codemirror/view';
import { openRoom } from '@weft/client';
import { presenceCursors, sharedText } from '@weft/client/codemirror';
import { indexedDb } from '@weft/client/indexeddb';

const room = openRoom('notes', { url: ROOMS, storage: indexedDb() });
await room.ready; // from this device, also without a network

const name = `guest ${Math.ceil(Math.random() * 99)}`;
const color = `hsl(${Math.floor(Math.random() * 360)}, 70%, 45%)`;
const cursors = presenceCursors(room, 'body', { name, color });
new EditorView({
  doc: room.textOf('body'),
  parent: document.body,
  extensions: [EditorView.lineWrapping, sharedText(room.replica, 'body', { cursors })],
});

const line = document.body.appendChild(document.createElement('p'));
const show = () => {
  const { connection, unsent } = room.status;
  line.textContent = unsent > 0 ? `${unsent} changes kept on this device` : connection;
};
room.onStatus(show);
show();
