import { openRoom } from '@weft/client';
import { folder } from '@weft/client/folder';

// example: folder
const plan = openRoom('plan', { url: 'ws://127.0.0.1:7878', storage: folder('rooms') });
await plan.ready; // from the folder, if this program was here before
plan.set('seen', true); // without a server too
await plan.close();
