// Text only by Yjs; nothing is kept on the device.
import { createClient } from '@liveblocks/client';
import { getYjsProviderForRoom } from '@liveblocks/yjs';
import { UndoManager } from 'yjs';
const client = createClient({ authEndpoint: () => globalThis.token() });
const { room } = client.enterRoom('plan', { initialPresence: { name: 'Ann', cursor: 0 } });
const doc = getYjsProviderForRoom(room).getYDoc();
const [meta, body] = [doc.getMap('meta'), doc.getText('body')];
const undo = new UndoManager([meta, body]);
globalThis.setTitle = (title) => meta.set('title', title);
globalThis.type = (at, text) => body.insert(at, text);
globalThis.move = (cursor) => room.updatePresence({ cursor });
globalThis.undo = () => undo.undo();
globalThis.read = () => [meta.get('title'), body.toString(), room.getOthers().map(({ presence }) => presence)];
doc.on('update', () => globalThis.draw());
room.subscribe('others', () => globalThis.draw());
