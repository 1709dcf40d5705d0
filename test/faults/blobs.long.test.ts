import { it } from 'vitest';
import { floodOfBlobs } from './blob-flood.js';

it('fault 34: 100,000 tiny blobs are taken in turn, and hold up nobody else', () => floodOfBlobs('uws', 98 * 1024));
