/** Blobs that are not what they say, or are very many. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { levelStore } from '@weft/core/level';
import { describe, expect, it } from 'vitest';
import { defaultTransport } from '../support/transport-names.js';
import { tempFolder } from '../support/temp-folder.js';
import { base64, floodOfBlobs, hashOf, uploadOf } from './blob-flood.js';
import { Peer } from './peer.js';
import { serveHere, transports } from './serving.js';

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe.each(transports)('over %s', (transport) => {
  it('fault 34: a blob that is not its hash, or whose hash is a path, is refused and leaves nothing', async () => {
    const base = await tempFolder();
    const folder = join(base, 'data');
    const { url } = await serveHere(transport, { store: levelStore(folder) });
    const peer = await Peer.enter(url);
    const bytes = Buffer.from('these bytes');
    const before = await filesIn(base);
    const short = 'ab'.repeat(31);
    const names = ['../../escape', '/etc/escape', '..', '', '\0', short, `${short}/.`, 'x'.repeat(5000)];
    for (const hash of [...names, hashOf(Buffer.from('other bytes'))]) {
      peer.send({ type: 'blob-upload', blobs: [{ hash, data_b64: base64(bytes) }] });
      expect(await peer.nextOf('error'), hash).toMatchObject({ code: 'blob-refused' });
      peer.send({ type: 'blob-request', hashes: [hash] });
      expect(await peer.nextOf('blob-pack'), hash).toMatchObject({ blobs: [], missing: [hash] });
    }
    for (const data_b64 of ['%', undefined, 7]) {
      peer.send({ type: 'blob-upload', blobs: [{ hash: hashOf(bytes), data_b64 }] });
      expect((await peer.next()).type).toBe('error');
    }
    const isBlob = (path: string): boolean => path.includes('blob') || !path.startsWith(folder);
    expect((await filesIn(base)).filter(isBlob)).toEqual(before.filter(isBlob));

    peer.send(uploadOf([bytes]));
    expect(await peer.nextOf('blob-available')).toMatchObject({ hashes: [hashOf(bytes)] });
  });
});

it('fault 34: a hundred tiny blobs are taken in turn, and hold up nobody else', () =>
  floodOfBlobs(defaultTransport, 100));
