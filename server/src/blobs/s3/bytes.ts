/**
 * Bytes of blobs as objects of a bucket:
 *
 *   <prefix>blobs/<hash>            a blob
 *   <prefix>incoming/<room>/<hash>  what a peer has uploaded by a link and nobody has looked at
 */
import { type BlobBytes, type BlobDraft, type BlobHash, parseBlobHash } from '@weft/core';
import type { S3Bucket } from '../../s3/bucket.js';
import { list } from '../../s3/listing.js';
import { PART_BYTES, Upload, endUploads, headOf, readObject, sizeIn } from '../../s3/objects.js';

const DAY_MS = 86_400_000;
const kind = 'a blob';

export class S3Bytes implements BlobBytes {
  readonly #bucket: S3Bucket;
  readonly #partBytes: number;

  constructor(bucket: S3Bucket, partBytes = PART_BYTES) {
    this.#bucket = bucket;
    this.#partBytes = partBytes;
  }

  /** Removes parts of interrupted uploads, and uploads by links that nobody has announced for a day. */
  async removeLeftovers(): Promise<void> {
    await endUploads(this.#bucket, 'blobs/', 0);
    for await (const { key, changed } of list(this.#bucket, 'incoming/')) {
      if (Date.now() - changed > DAY_MS) await this.#bucket.ask('tidy up', { method: 'DELETE', key });
    }
  }

  async draft(hash: BlobHash, bytes: AsyncIterable<Uint8Array>): Promise<BlobDraft> {
    const upload = await Upload.of(this.#bucket, { key: keyOf(hash), kind, partBytes: this.#partBytes }, bytes);
    return { size: upload.size, place: () => upload.finish(), discard: () => upload.abandon() };
  }

  async *read(hash: BlobHash, from: number, to: number): AsyncGenerator<Uint8Array> {
    yield* readObject(this.#bucket, { key: keyOf(hash), from, to, kind });
  }

  async size(hash: BlobHash): Promise<number | undefined> {
    return sizeIn(await this.#head(hash));
  }

  async touched(hash: BlobHash): Promise<number | undefined> {
    const changed = (await this.#head(hash))?.get('last-modified');
    return changed === undefined || changed === null ? undefined : Date.parse(changed);
  }

  /** Renews an object's time by a copy onto itself: there is no other way. */
  async touch(hash: BlobHash): Promise<void> {
    const key = keyOf(hash);
    const headers = { 'x-amz-copy-source': this.#bucket.pathOf(key), 'x-amz-metadata-directive': 'REPLACE' };
    const response = await this.#bucket.send('touch a blob', { method: 'PUT', key, headers });
    if (!response.ok && response.status !== 404) throw await this.#bucket.refused('touch a blob', response);
    await response.body?.cancel();
  }

  async remove(hash: BlobHash): Promise<boolean> {
    if (!(await this.#head(hash))) return false;
    await this.#bucket.ask('delete a blob', { method: 'DELETE', key: keyOf(hash) });
    return true;
  }

  async total(): Promise<number> {
    let bytes = 0;
    for await (const { size } of list(this.#bucket, 'blobs/')) bytes += size;
    return bytes;
  }

  async *all(): AsyncGenerator<BlobHash> {
    for await (const { key } of list(this.#bucket, 'blobs/')) {
      const hash = parseBlobHash(key.slice('blobs/'.length));
      if (hash) yield hash;
    }
  }

  async #head(hash: BlobHash): Promise<Headers | undefined> {
    return headOf(this.#bucket, keyOf(hash), kind);
  }
}

function keyOf(hash: BlobHash): string {
  if (!parseBlobHash(hash)) throw new TypeError('the name of a blob is 64 lower-case hex characters');
  return `blobs/${hash}`;
}
