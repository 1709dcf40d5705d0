import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ArchiveNameError, type ArchiveStore, type Host, type HostRequest, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { archiveBattery } from '@weft/core/testing';
import { hashOf } from '../testing/blob-address.js';
import { LocalS3, s3Keys } from '../../../test/support/servers/local-s3.js';
import { S3Bucket } from '../s3/bucket.js';
import { list } from '../s3/listing.js';
import { parseS3Location } from '../s3/location.js';
import { S3Archives } from './s3-archives.js';

const PART_BYTES = 5 * 1024 * 1024;

function bucketAt({ url }: LocalS3, prefix = ''): S3Bucket {
  return new S3Bucket(parseS3Location(`s3://blobs${prefix}?endpoint=${url}`), s3Keys);
}

/** Names of archives are told without the place where all of them are. */
function below(place: string, store: ArchiveStore): ArchiveStore {
  return {
    open: (name) => store.open(place + name),
    put: (name, bytes) => store.put(place + name, bytes),
  };
}

async function* chunks(bytes: Uint8Array, length = 300_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function hostOf(object: ArchiveStore, trusted: readonly string[] = []): Host {
  const host = createHost({ store: memoryStore(), archives: { stores: { object }, trusted } });
  onTestFinished(() => host.close());
  return host;
}

async function keysIn(bucket: S3Bucket): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of list(bucket, '')) keys.push(key);
  return keys;
}

describe('archives in a bucket', () => {
  for (const { name, run } of archiveBattery)
    it(name, async () => {
      const bucket = bucketAt(await LocalS3.start(), '/kept/here');
      await run(() => below('blobs/kept/here/', new S3Archives(bucket, PART_BYTES)));
    });

  it('[AR8] are the objects that their names say, below the prefix and in the bucket alone', async () => {
    const service = await LocalS3.start();
    const bucket = bucketAt(service, '/kept');
    const store = new S3Archives(bucket);
    await store.put('blobs/kept/sub/a.weft', chunks(Uint8Array.of(1, 2)));
    expect(await keysIn(bucketAt(service))).toEqual(['kept/sub/a.weft']);
    for (const name of [
      'blobs/a',
      'blobs/keptx/a',
      'other/kept/a',
      'blobs/kept',
      'blobs/kept/',
      'blobs/kept/../a',
      'a',
    ]) {
      await expect(store.open(name), name).rejects.toBeInstanceOf(ArchiveNameError);
      await expect(store.put(name, chunks(Uint8Array.of(1))), name).rejects.toBeInstanceOf(ArchiveNameError);
    }
    expect(await keysIn(bucketAt(service))).toEqual(['kept/sub/a.weft']);
  });

  it('[AR8] come in parts, over a service that fails and connections that break', async () => {
    const service = await LocalS3.start();
    const store = new S3Archives(bucketAt(service), PART_BYTES);
    const bytes = randomBytes(2 * PART_BYTES + 12_345);
    service.fail(2);
    await store.put('blobs/a', chunks(bytes));
    const file = (await store.open('blobs/a'))!;
    expect(file.size).toBe(bytes.length);
    service.cutAfter(1_500_000, 2);
    const found: Uint8Array[] = [];
    for await (const chunk of file.read(0, file.size)) found.push(chunk);
    expect(Buffer.concat(found).equals(bytes)).toBe(true);
    expect([service.failed, service.cut]).toEqual([2, 2]);
  });

  it('[AR8] that were replaced since they were opened are read no further', async () => {
    const store = new S3Archives(bucketAt(await LocalS3.start()));
    await store.put('blobs/a', chunks(randomBytes(1000)));
    const file = (await store.open('blobs/a'))!;
    await store.put('blobs/a', chunks(randomBytes(1000)));
    await expect(file.read(0, 10)[Symbol.asyncIterator]().next()).rejects.toThrow(/replaced meanwhile; begin again/);
  });

  it('[AR6] move a room from one server to another, blobs and all', async () => {
    const store = new S3Archives(bucketAt(await LocalS3.start()), PART_BYTES);
    const told = async (host: Host, room_id: string, command: HostRequest['command']) =>
      Object.entries((await host.submit({ room_id, command })).events[0]!)[0]!;
    const [here, archive_ref] = [hostOf(store), 'object://blobs/plans.weft'];
    const blob = randomBytes(PART_BYTES + 7);
    const hash = hashOf(blob);
    await told(here, 'plans', { BlobSet: { namespace: 'files', hash, data_b64: blob.toString('base64') } });
    expect(await told(here, 'plans', { ExportArchive: { archive_ref } })).toMatchObject(['ArchiveExported', {}]);
    const [, info] = await told(here, 'plans', 'ServerInfo');
    const there = hostOf(store, [String(info['pubkey'])]);
    const into = { ImportArchive: { archive_ref, import_mode: 'full_apply' } };
    expect(await told(there, 'copy', into)).toMatchObject([
      'ArchiveImported',
      { imported_blobs: 1, imported_nodes: 2 },
    ]);
    const found = await told(there, 'copy', { BlobGet: { namespace: 'files', hash } });
    expect(found).toMatchObject(['BlobValueRead', { data_b64: blob.toString('base64') }]);
    for (const [ref, reason] of [
      ['object://other/plans.weft', 'manifest_invalid'],
      ['object://blobs/nothing', 'checkpoint_not_found'],
      ['file://plans.weft', 'unsupported_format'],
    ] as const) {
      const refused = await told(there, 'copy', { ImportArchive: { archive_ref: ref, import_mode: 'full_apply' } });
      expect(refused[1]).toMatchObject({ reason_class: `reject.archive_${reason}` });
    }
  });
});
