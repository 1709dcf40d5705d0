import { openRoom } from '@weft/client';
import { indexedDb } from '@weft/client/indexeddb';

// example: indexedDb
const room = openRoom('plan', { url: 'wss://rooms.example.org', storage: indexedDb({ prefix: 'my-app' }) });
await room.ready;
await room.kept(); // all that is here is on this device
