import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { parseBlobHash } from '../codec/bytes/blob-hash.js';
import { BlobRef } from '../crdt/registers.js';
import { type Host, createHost } from '../engine.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import type { Store } from '../ports/store.js';
import { submitter } from '../testing/host-commands.js';
import { testPeer } from '../testing/test-peer.js';

const bytes = new TextEncoder().encode('a blob');
const data_b64 = Buffer.from(bytes).toString('base64');
const hash = createHash('sha256').update(bytes).digest('hex');
const nothing = '0'.repeat(64);
const namespace = 'n';

/** Links that nobody serves. */
const blobUrls: BlobUrls = {
  forPut: async (_, name) => ({ url: `put:${name}`, expiresAtUnix: 5 }),
  forGet: async (_, name) => ({ url: `get:${name}`, expiresAtUnix: 5 }),
  claim: async () => undefined,
};

function room(options: { blobUrls?: BlobUrls } = {}) {
  const store: Store = memoryStore();
  const host: Host = createHost({ store, ...options });
  return { store, host, submit: submitter(host) };
}

describe('blobs through the host door', () => {
  it('[HC7] are stored, and named by a key of their namespace', async () => {
    const { host, submit } = room();
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    for (const given of [hash, hash.toUpperCase()])
      expect(await submit({ BlobSet: { namespace, hash: given, data_b64 } })).toEqual([
        { BlobValueStored: { namespace, hash, stored: true } },
      ]);
    expect(await peer.nextOf('blob-available')).toMatchObject({ hashes: [hash] });
    const { seq } = await host.room('room');
    expect(seq).toBe(2); // named once
    expect((await host.room('room')).get(`n/${hash}`)).toEqual(new BlobRef(hash));
    expect(await submit({ BlobGet: { namespace, hash } })).toEqual([
      { BlobValueRead: { namespace, hash, found: true, data_b64 } },
    ]);
  });

  it('[HC7] are of the namespaces that name them, and of no other room', async () => {
    const { host, submit } = room();
    await submit({ BlobSet: { namespace, hash, data_b64 } });
    const missed = { BlobValueRead: { namespace: 'm', hash, found: false } };
    expect(await submit({ BlobGet: { namespace: 'm', hash } })).toEqual([missed]);
    await (await host.room('room')).setBlob('m/logo', hash);
    expect(await submit({ BlobGet: { namespace: 'm', hash } })).toMatchObject([{ BlobValueRead: { found: true } }]);
    const elsewhere = submitter(host, 'other');
    await (await host.room('other')).setBlob('n/logo', hash);
    expect(await elsewhere({ BlobGet: { namespace, hash } })).toMatchObject([{ BlobValueRead: { found: false } }]);
  });

  it('[HC7] are refused when they are not what they are called', async () => {
    const { host, submit } = room();
    for (const wrong of [nothing, 'x'])
      await expect(submit({ BlobSet: { namespace, hash: wrong, data_b64 } })).rejects.toMatchObject({
        reason: 'blob-refused',
      });
    await expect(submit({ BlobSet: { namespace, hash, data_b64: '*' } })).rejects.toMatchObject({
      reason: 'invalid-command',
    });
    expect((await host.room('room')).seq).toBe(0);
  });

  it('[HC7] are read many at a time', async () => {
    const { submit } = room();
    await submit({ BlobSet: { namespace, hash, data_b64 } });
    const hashes = [hash, nothing, 'x', hash];
    expect(await submit({ BlobGetMany: { namespace, hashes } })).toEqual([
      { BlobValuesRead: { namespace, entries: [{ hash, data_b64 }], missing: [nothing, 'x'] } },
    ]);
    expect(await submit({ BlobRequest: { namespace, hashes } })).toEqual([
      { BlobPackPrepared: { namespace, blobs: [{ hash, data_b64 }], requested: [hash, nothing, 'x'] } },
    ]);
  });

  it('[HC7] are asked for by links where there are links', async () => {
    const { submit } = room({ blobUrls });
    await submit({ BlobSet: { namespace, hash, data_b64 } });
    const redirects = [{ hash, url: `get:${hash}`, expires_at_unix: 5 }];
    expect(await submit({ BlobRequest: { namespace, hashes: [hash, nothing] } })).toEqual([
      { BlobRedirectPrepared: { namespace, redirects } },
      { BlobPackPrepared: { namespace, blobs: [], requested: [nothing] } },
    ]);
  });

  it('[HC7] are uploaded by links, and named when they are there', async () => {
    const { store, host, submit } = room({ blobUrls });
    expect(await submit({ RequestUpload: { namespace, hash, size_bytes: bytes.length } })).toEqual([
      { UploadGranted: { hash, url: `put:${hash}`, expires_at_unix: 5 } },
    ]);
    expect(await submit({ BlobUploaded: { namespace, hash } })).toEqual([
      { UploadRejected: { hash, reason: 'not-found' } },
    ]);
    const { id } = await host.room('room');
    await store.blobs.put(parseBlobHash(hash)!, once(bytes), bytes.length);
    await store.blobs.stage(id, parseBlobHash(hash)!);
    expect(await submit({ BlobUploaded: { namespace, hash } })).toEqual([{ BlobAvailable: { namespace, hash } }]);
    expect(await submit({ BlobGet: { namespace, hash } })).toMatchObject([{ BlobValueRead: { found: true } }]);
  });

  it('[HC7] are moved through the host alone where there are no links', async () => {
    const { submit } = room();
    const denied = [{ UploadDenied: { hash, reason: 'use-ws' } }];
    expect(await submit({ RequestUpload: { namespace, hash, size_bytes: 1 } })).toEqual(denied);
    const many = room({ blobUrls });
    expect(await many.submit({ RequestUpload: { namespace, hash, size_bytes: 6 * 1024 ** 3 } })).toEqual([
      { UploadDenied: { hash, reason: 'too-large' } },
    ]);
    await expect(submit({ RequestUpload: { namespace, hash: 'x', size_bytes: 1 } })).rejects.toMatchObject({
      reason: 'invalid-payload',
    });
  });
});

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
