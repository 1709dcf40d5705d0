import {
  type AnyRoom,
  type Room,
  type StandardSchema,
  createUndo,
  generateKeys,
  linkPeers,
  memory,
  openRoom,
  richText,
  type Presence,
  type RichText,
  SchemaError,
} from '@weft/client';
import { indexedDb } from '@weft/client/indexeddb';

declare const room: Room<AnyRoom>;
declare const titleSchema: StandardSchema;

// example: openRoom
const plan = openRoom('plan', { url: 'wss://rooms.example.org', storage: indexedDb() });
await plan.ready; // from this device, or from the server
plan.set('title', 'Road map');
plan.text('body').insert(0, 'First, …');
await plan.sent(); // durable on the server

// example: Room
const stop = room.observe('title', () => console.log(room.get('title')));
room.edit((it) => {
  // One node, one event, one step of undo.
  it.set('title', 'Road map');
  it.list('tasks').push({ what: 'begin' });
});
room.onStatus(() => console.log(room.status.connection, room.status.unsent));
stop();

// example: Presence
const presence: Presence<unknown> = room.presence;
presence.show({ name: 'Ann', cursor: 12 });
presence.onChange(() => console.log(presence.others.map(({ peer, shown }) => [peer.peerId, shown])));

// example: createUndo
const undo = createUndo(room, { keys: ['title', 'body'] });
room.set('title', 'Another');
undo.undo();
console.log(undo.canRedo);

// example: richText
const body = richText(room.replica, 'body');
body.mark(0, 5, 'bold');
body.mark(0, 5, 'link', 'https://example.org', { expand: 'none' });
console.log(body.spans());

// example: RichText
const notes: RichText = richText(room.replica, 'notes');
for (const { text, marks } of notes.spans()) console.log(text, marks);

// example: linkPeers
const links = linkPeers(room, { iceServers: [{ urls: 'stun:stun.example.org' }] });
links.onChange(() => console.log(`${links.linked.length} pages are told directly`));
links.close();

// example: memory
const shared = memory();
const here = openRoom('plan', { url: 'ws://127.0.0.1:7878', storage: shared });
const there = openRoom('plan', { url: 'ws://127.0.0.1:7878', storage: shared });

// example: generateKeys
const keys = generateKeys();
console.log(keys.publicKey); // who signs with them

// example: SchemaError
const checked = openRoom('plan', { url: 'wss://rooms.example.org', schema: { title: titleSchema } });
await checked.ready;
try {
  checked.set('title', '');
} catch (error) {
  if (error instanceof SchemaError) console.log(error.key, error.issues);
}
