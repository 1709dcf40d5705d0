import { it } from 'vitest';
import { defaultTransport } from '../support/transport-names.js';
import { floodOfBlobs } from './blob-flood.js';

it('fault 34: 100,000 tiny blobs are taken in turn, and hold up nobody else', () =>
  floodOfBlobs(defaultTransport, 98 * 1024));
