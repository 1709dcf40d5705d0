import { openRoom } from '@weft/client';
import { encrypted } from '@weft/client/encrypted';
import { indexedDb } from '@weft/client/indexeddb';

declare const key: CryptoKey;

// example: encrypted
// The key is yours to keep: derived from a password, say, or given by your server to who has signed in.
const diary = openRoom('diary', { url: 'wss://rooms.example.org', storage: encrypted(indexedDb(), key) });
await diary.ready;
