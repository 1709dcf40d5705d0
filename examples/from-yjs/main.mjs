/** Documents of Yjs move in: a provider that they have anyway fills the room, and what they hold is then there as plain values too. */
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { createYjsGateway, startServer } from '@weft/server';
import WebSocket from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';

const host = createHost({ store: memoryStore() });
const server = await startServer({
  host,
  yjs: await createYjsGateway({ host }),
  listen: '127.0.0.1:0',
  log: () => undefined,
});
const url = server.url.replace('/ws/<room>', '/yjs');

/** A document on the server; only the address is another one than before. */
async function open(doc) {
  const provider = new WebsocketProvider(url, 'handbook', doc, { WebSocketPolyfill: WebSocket, disableBc: true });
  if (!provider.synced) await new Promise((resolve) => provider.once('sync', resolve));
  return provider;
}

// What you have: a document, here one that was just made.
const old = new Y.Doc();
old.getText('body').insert(0, 'Read me first');
old.getMap('settings').set('language', 'en');
const first = await open(old);

// Others go on with it as Yjs, from this server.
const doc = new Y.Doc();
const second = await open(doc);
while (doc.getText('body').length === 0) await new Promise((resolve) => doc.once('update', resolve));
console.log(`in Yjs: ${doc.getText('body')}, ${doc.getMap('settings').get('language')}`);

// Or it becomes a text and values of a room, each change from then on with a name under it.
const room = await host.room('handbook-native');
await room.edit((edits) => edits.insertText('body', doc.getText('body').toString()));
for (const [key, value] of doc.getMap('settings')) await room.set(`settings/${key}`, value);
console.log(`in Weft: ${room.text('body')}, ${room.get('settings/language')}`);

for (const one of [first, second, old, doc]) one.destroy();
await server.close();
await host.close();
