import { openRoom } from '@weft/client';
import { indexedDb } from '@weft/client/indexeddb';
import { inspect } from '@weft/client/inspector';
import { bindTextField } from '@weft/client/textarea';

const room = openRoom('notes', { url: globalThis.WEFT_URL, storage: indexedDb() });
await room.ready;

const field = Object.assign(document.createElement('textarea'), { rows: 12, cols: 60, ariaLabel: 'Notes' });
bindTextField(room.replica, 'body', field);
document.querySelector('#app').append(field);

inspect(room); // for developers: leave it out of what you ship
