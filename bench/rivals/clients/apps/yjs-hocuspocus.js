import { HocuspocusProvider } from '@hocuspocus/provider';
import { IndexeddbPersistence } from 'y-indexeddb';
import { Doc, UndoManager } from 'yjs';
const doc = new Doc();
await new IndexeddbPersistence('plan', doc).whenSynced;
const provider = new HocuspocusProvider({
  url: 'wss://example.org',
  name: 'plan',
  document: doc,
  token: () => globalThis.token(),
});
const [meta, body] = [doc.getMap('meta'), doc.getText('body')];
const undo = new UndoManager([meta, body]);
globalThis.setTitle = (title) => meta.set('title', title);
globalThis.type = (at, text) => body.insert(at, text);
globalThis.move = (cursor) => provider.awareness.setLocalState({ name: 'Ann', cursor });
globalThis.undo = () => undo.undo();
globalThis.read = () => [meta.get('title'), body.toString(), [...provider.awareness.getStates().values()]];
doc.on('update', () => globalThis.draw());
provider.awareness.on('change', () => globalThis.draw());
