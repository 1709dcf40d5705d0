/** A page of notes that several write at once, and that goes on without a network. Open the address twice. */
import { join } from 'node:path';
import { servePage } from '../serve-page.mjs';

await servePage(join(import.meta.dirname, 'page.js'));
