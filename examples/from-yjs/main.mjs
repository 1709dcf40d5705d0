/** A document of Yjs moves in: its clients go on from this server with nothing changed but the address, and a page brings it into a room. */
import { join } from 'node:path';
import { createYjsGateway } from '@weft/server';
import WebSocket from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { servePage } from '../serve-page.mjs';

const audience = await servePage(join(import.meta.dirname, 'page.js'), { gateway: createYjsGateway });

// What you have: a document of Yjs, here one that was just made, and its provider. It is durable here when it is synchronized.
const doc = new Y.Doc();
const element = (name, content, attributes = {}) => {
  const made = new Y.XmlElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.insert(0, content);
  return made;
};
const text = (name, words, attributes) => element(name, [new Y.XmlText(words)], attributes);
doc
  .getXmlFragment('body')
  .insert(0, [
    text('heading', 'Handbook', { level: 1 }),
    text('paragraph', 'Read me first. What is written here is a document of Yjs.'),
    element('blockquote', [text('paragraph', 'Its clients need nothing but another address.')]),
  ]);
const provider = new WebsocketProvider(`ws://${audience}/yjs`, 'handbook', doc, {
  WebSocketPolyfill: WebSocket,
  disableBc: true,
});
process.once('SIGTERM', () => {
  provider.destroy();
  doc.destroy();
});
