import { coldBattery } from '@weft/core/testing';
import { describe, expect, it } from 'vitest';
import { LocalS3, s3Keys } from '../../../test/support/servers/local-s3.js';
import { S3Bucket } from '../s3/bucket.js';
import { list } from '../s3/listing.js';
import { parseS3Location } from '../s3/location.js';
import { S3Cold, s3Cold } from './s3-cold.js';

const PART_BYTES = 5 * 1024 * 1024;

function bucketAt({ url }: LocalS3, prefix = '/kept/here'): S3Bucket {
  return new S3Bucket(parseS3Location(`s3://blobs${prefix}?endpoint=${url}`), s3Keys);
}

describe('cold objects in a bucket', () => {
  for (const { name, run } of coldBattery)
    it(name, async () => run(new S3Cold(bucketAt(await LocalS3.start()), PART_BYTES)));

  it('lie below the prefix, over a service that fails and connections that break', async () => {
    const service = await LocalS3.start();
    const cold = new S3Cold(bucketAt(service), PART_BYTES);
    const bytes = new Uint8Array(2 * PART_BYTES + 7).fill(5);
    service.fail(2);
    await cold.put('segments/a', bytes);
    service.cutAfter(1_000_000, 2);
    expect(Buffer.compare((await cold.get('segments/a'))!, bytes)).toBe(0);
    expect([service.failed, service.cut]).toEqual([2, 2]);
    const keys: string[] = [];
    for await (const { key } of list(bucketAt(service, ''), '')) keys.push(key);
    expect(keys).toEqual(['kept/here/segments/a']);
  });

  it('are refused in words that say what to change where the keys are wrong', async () => {
    const { url } = await LocalS3.start();
    const cold = s3Cold(`s3://blobs/cold?endpoint=${url}`, { ...s3Keys, secretKey: 'other' });
    const refused = /in the bucket blobs at .*403.*check its access key and secret key/;
    await expect(cold.put('segments/a', new Uint8Array(1))).rejects.toThrow(refused);
    await expect(cold.get('segments/a')).rejects.toThrow(refused);
    await expect(cold.remove('segments/a')).rejects.toThrow(refused);
  });
});
