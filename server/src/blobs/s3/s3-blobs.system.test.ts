import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BlobHash, type Store, createHost, systemClock } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { blobBattery, testPeer } from '@weft/core/testing';
import { hashOf } from '../../testing/blob-address.js';
import { LocalS3, s3Keys } from '../../../../test/support/servers/local-s3.js';
import { S3Bucket } from '../../s3/bucket.js';
import { list } from '../../s3/listing.js';
import { parseS3Location } from '../../s3/location.js';
import { S3Bytes } from './bytes.js';
import { s3Blobs } from './s3-blobs.js';

async function storeAt(endpoint: string): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-s3-store-'));
  const bucket = new S3Bucket(parseS3Location(`s3://blobs?endpoint=${endpoint}`), s3Keys);
  const store = levelStore(folder, { blobBytes: new S3Bytes(bucket, 5 * 1024 * 1024) });
  await store.open();
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return store;
}

async function put({ blobs }: Store, bytes: Uint8Array): Promise<BlobHash> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await blobs.put(hashOf(bytes), source(), bytes.length);
  return hashOf(bytes);
}

/** Opens the same store again and again. */
async function opener(): Promise<() => Promise<Store>> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-s3-store-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bucket = new S3Bucket(parseS3Location(`s3://blobs/weft?endpoint=${(await LocalS3.start()).url}`), s3Keys);
  return async () => {
    const store = levelStore(folder, { blobBytes: new S3Bytes(bucket, 5 * 1024 * 1024) });
    await store.open();
    return store;
  };
}

describe('blobs in a bucket', () => {
  for (const { name, run } of blobBattery) it(name, async () => run(await opener()));
});

describe('a bucket that fails now and then', () => {
  it('is asked again, and read on from where it broke', async () => {
    const service = await LocalS3.start();
    const store = await storeAt(service.url);
    const bytes = randomBytes(6_000_000);
    service.fail(3);
    const hash = await put(store, bytes);
    service.cutAfter(1_500_000, 2);
    const found: Uint8Array[] = [];
    for await (const chunk of (await store.blobs.get(hash))?.bytes ?? []) found.push(chunk);
    expect(Buffer.concat(found).equals(bytes)).toBe(true);
    expect([service.failed, service.cut]).toEqual([3, 2]);
  });

  it('is given up in words that say what to do', async () => {
    const pauses: number[] = [];
    const clock = {
      ...systemClock,
      after: (ms: number, callback: () => void) => (pauses.push(ms), systemClock.after(0, callback)),
    };
    const endpoint = (await LocalS3.start()).url;
    const refusal = async (location: string, keys = s3Keys): Promise<unknown> => {
      const bytes = new S3Bytes(new S3Bucket(parseS3Location(location), keys, clock));
      return bytes.removeLeftovers().catch((error: unknown) => error);
    };
    expect(await refusal(`s3://blobs?endpoint=${endpoint}`, { ...s3Keys, secretKey: 'wrong' })).toMatchObject({
      name: 'StoreError',
      message: expect.stringMatching(/^cannot list objects in the bucket blobs .*403.*check its access key/),
    });
    expect(await refusal(`s3://elsewhere?endpoint=${endpoint}`)).toMatchObject({
      message: expect.stringMatching(/404 NoSuchBucket: there is no such bucket/),
    });
    pauses.length = 0;
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    const nobody = await refusal(`s3://blobs?endpoint=http://127.0.0.1:${port}`);
    expect(nobody).toMatchObject({ message: expect.stringMatching(/ECONNREFUSED/) });
    // Pauses of both requests: each is drawn from the upper half of twice as much as the one before.
    expect(pauses.map((ms, index) => Math.floor(ms / (50 * 2 ** (index % 5))))).toEqual(Array(10).fill(1));
  });
});

it('peers move blobs to and from the bucket by links, and only what is what it says gets in', async () => {
  const location = `s3://blobs/weft?endpoint=${(await LocalS3.start()).url}`;
  const { bytes: blobBytes, urls } = s3Blobs(location, s3Keys);
  const folder = await mkdtemp(join(tmpdir(), 'weft-s3-store-'));
  const store = levelStore(folder, { blobBytes });
  const host = createHost({ store, blobUrls: urls(store) });
  onTestFinished(async () => {
    await host.close();
    await rm(folder, { recursive: true });
  });
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello', caps: { supports_direct_blob_io: true } });
  while ((await peer.nextOf('pack'))['final'] !== true);
  const granted = async (bytes: Uint8Array): Promise<string> => {
    peer.send({ type: 'request-upload', hash: hashOf(bytes), size: bytes.length, content_type: 'image/png' });
    return String((await peer.nextOf('upload-granted'))['url']);
  };
  const put = async (url: string, body: Uint8Array): Promise<number> =>
    (await fetch(url, { method: 'PUT', body: Buffer.from(body) })).status;
  const upload = async (bytes: Uint8Array, sent = bytes): Promise<string> => {
    const hash = hashOf(bytes);
    expect(await put(await granted(bytes), sent)).toBe(200);
    peer.send({ type: 'blob-uploaded', hash });
    return hash;
  };

  const bytes = randomBytes(100_000);
  const hash = await upload(bytes);
  expect(await peer.nextOf('blob-available')).toMatchObject({ hashes: [hash] });
  peer.send({ type: 'blob-request', hashes: [hash] });
  const [redirect] = (await peer.nextOf('blob-redirect'))['redirects'] as { url: string; expires_at_unix: number }[];
  const got = await fetch(redirect!.url);
  expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
  expect(got.headers.get('content-disposition')).toBe('attachment');
  expect(got.headers.get('content-type')).toBe('image/png');
  expect((await fetch(redirect!.url.replace(/Signature=..../, 'Signature=0000'))).status).toBe(403);

  const lie = await upload(randomBytes(1000), randomBytes(1000));
  expect(await peer.nextOf('upload-rejected')).toMatchObject({ hash: lie, reason: 'hash-mismatch' });
  const large = randomBytes(1000);
  expect(await put(await granted(large), randomBytes(1001))).toBe(403);
  const never = hashOf(randomBytes(10));
  peer.send({ type: 'blob-uploaded', hash: never });
  expect(await peer.nextOf('upload-rejected')).toMatchObject({ hash: never });
  const listed: string[] = [];
  for await (const { key } of list(new S3Bucket(parseS3Location(location), s3Keys), '')) listed.push(key);
  expect(listed).toEqual([`blobs/${hash}`]);
});

describe('parseS3Location', () => {
  it('knows bucket, prefix, endpoint and region', () => {
    expect(parseS3Location('s3://b.u-c')).toEqual({
      bucket: 'b.u-c',
      prefix: '',
      region: 'us-east-1',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
    });
    expect(parseS3Location('s3://bucket/a/b/?endpoint=http://127.0.0.1:9000/&region=here')).toEqual({
      bucket: 'bucket',
      prefix: 'a/b/',
      region: 'here',
      endpoint: 'http://127.0.0.1:9000',
    });
  });

  it.each([
    'bucket',
    's3:',
    'https://bucket',
    's3://UP_PER',
    's3://key:secret@bucket',
    's3://b-b?colour=red',
    's3://b-b?endpoint=here',
    's3://b-b/a%20b',
  ])('refuses %s', (text) => {
    expect(() => parseS3Location(text)).toThrow();
  });
});
