/** The page: an editor of rich text with the cursors of others, and a line that says how things stand. */
import { Editor } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';
import { openRoom } from '@weft/client';
import { indexedDb } from '@weft/client/indexeddb';
import { presenceCursors, sharedEditing } from '@weft/client/tiptap';

const room = openRoom('notes', { url: ROOMS, storage: indexedDb() });
await room.ready; // from this device, also without a network

const name = `guest ${Math.ceil(Math.random() * 99)}`;
const color = `hsl(${Math.floor(Math.random() * 360)}, 70%, 45%)`;
const cursors = presenceCursors(room, 'body', { name, color });

document.head.appendChild(document.createElement('style')).textContent = `
  body { max-width: 44rem; margin: 2rem auto; font: 1rem/1.5 system-ui, sans-serif; }
  .tiptap { min-height: 60vh; outline: none; border: 1px solid #ccc; border-radius: 6px; padding: 0.5rem 1.5rem; }
  .bar { display: flex; gap: 0.25rem; margin-bottom: 0.5rem; }
  .weft-caret { position: relative; }
`;
const bar = document.body.appendChild(document.createElement('div'));
bar.className = 'bar';

const editor = new Editor({
  element: document.body,
  extensions: [StarterKit.configure({ undoRedo: false }), sharedEditing(room.replica, 'body', { cursors })],
});

const commands = {
  Title: (chain) => chain.toggleHeading({ level: 1 }),
  Bold: (chain) => chain.toggleBold(),
  List: (chain) => chain.toggleBulletList(),
  Quote: (chain) => chain.toggleBlockquote(),
  Code: (chain) => chain.toggleCodeBlock(),
};
for (const [label, command] of Object.entries(commands)) {
  const button = bar.appendChild(document.createElement('button'));
  button.textContent = label;
  button.onmousedown = (event) => event.preventDefault(); // the selection stays
  button.onclick = () => command(editor.chain().focus()).run();
}

const line = document.body.appendChild(document.createElement('small'));
const show = () => {
  const { connection, unsent } = room.status;
  line.textContent = unsent > 0 ? `${unsent} changes kept on this device` : connection;
};
room.onStatus(show);
show();
