/** Cold store in a bucket: each object under its name, `<prefix><name>`. */
import type { ColdStore } from '@weft/core';
import { S3Bucket, type S3Keys } from '../s3/bucket.js';
import { parseS3Location } from '../s3/location.js';
import { PART_BYTES, Upload, endUploads, headOf, readObject, sizeIn } from '../s3/objects.js';

const DAY_MS = 86_400_000;
const kind = 'a cold object';

/** Cold store at an address such as `s3://bucket/prefix?endpoint=https://…&region=…`. */
export function s3Cold(address: string, keys: S3Keys): ColdStore {
  return new S3Cold(new S3Bucket(parseS3Location(address), keys));
}

export class S3Cold implements ColdStore {
  readonly place: string;
  readonly #bucket: S3Bucket;
  readonly #partBytes: number;

  constructor(bucket: S3Bucket, partBytes = PART_BYTES) {
    const { bucket: name, prefix } = bucket.location;
    this.place = `s3://${name}/${prefix}`;
    [this.#bucket, this.#partBytes] = [bucket, partBytes];
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    // Parts that a crash leaves behind go after a day.
    if (bytes.length > this.#partBytes) await endUploads(this.#bucket, '', DAY_MS);
    const upload = await Upload.of(this.#bucket, { key: name, kind, partBytes: this.#partBytes }, once(bytes));
    await upload.finish();
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    const headers = await headOf(this.#bucket, name, kind);
    const size = sizeIn(headers);
    if (size === undefined) return undefined;
    const bytes = new Uint8Array(size);
    let at = 0;
    for await (const chunk of readObject(this.#bucket, { key: name, from: 0, to: size, kind })) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  async remove(name: string): Promise<void> {
    const response = await this.#bucket.send('remove a cold object', { method: 'DELETE', key: name });
    if (!response.ok && response.status !== 404) throw await this.#bucket.refused('remove a cold object', response);
    await response.body?.cancel();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
