// No undo, and no token: the share policy of the repository decides, by peer.
import { Repo, splice } from '@automerge/automerge-repo';
import { WebSocketClientAdapter } from '@automerge/automerge-repo-network-websocket';
import { IndexedDBStorageAdapter } from '@automerge/automerge-repo-storage-indexeddb';
const repo = new Repo({
  network: [new WebSocketClientAdapter('wss://example.org')],
  storage: new IndexedDBStorageAdapter(),
});
const plan = await repo.find(globalThis.planUrl);
const others = new Map();
globalThis.setTitle = (title) => plan.change((doc) => void (doc.title = title));
globalThis.type = (at, text) => plan.change((doc) => splice(doc, ['body'], at, 0, text));
globalThis.move = (cursor) => plan.broadcast({ name: 'Ann', cursor });
globalThis.read = () => [plan.doc().title, plan.doc().body, [...others.values()]];
plan.on('change', () => globalThis.draw());
plan.on('ephemeral-message', ({ senderId, message }) => {
  others.set(senderId, message);
  globalThis.draw();
});
