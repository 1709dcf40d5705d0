/** The page: one document twice, as clients of Yjs have it and as a room has it, and a button from the one to the other. */
import { Editor, Extension } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';
import { openRoom } from '@weft/client';
import { sharedEditing } from '@weft/client/tiptap';
import { ySyncPlugin, yUndoPlugin } from 'y-prosemirror';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import html from './page.html';

document.body.innerHTML = html;
const find = (selector) => document.querySelector(selector);
const editor = (id, shared) =>
  new Editor({ element: find(id), extensions: [StarterKit.configure({ undoRedo: false }), shared] });

// What you have. Only the address is another one than before.
const doc = new Y.Doc();
const provider = new WebsocketProvider(`${ROOMS}/yjs`, 'handbook', doc);
await new Promise((resolve) => (provider.synced ? resolve() : provider.once('sync', resolve)));
const plugins = [ySyncPlugin(doc.getXmlFragment('body')), yUndoPlugin()];
const old = editor('#yjs', Extension.create({ name: 'yjs', addProseMirrorPlugins: () => plugins }));

// The same editor on a room.
const room = openRoom('handbook-native', { url: ROOMS });
await room.joined;
const native = editor('#room', sharedEditing(room.replica, 'body'));

// Both have one schema, so what the one shows is what the other takes.
find('main > button').onclick = () => native.commands.setContent(old.getJSON());

const show = () => {
  const { length } = room.textOf('body');
  find('main > button').disabled = length > 0;
  const last = length > 0 && room.replica.why('body', { in: 'text', at: length - 1 });
  find('#told').textContent = last ? `The end of it was signed by the key ${last.author.slice(0, 12)}…` : '';
};
room.observe('body', show);
show();
