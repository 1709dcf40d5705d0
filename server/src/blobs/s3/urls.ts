/**
 * Presigned URLs, which the bucket itself honours. An upload waits under another name until it is announced; then the server
 * reads all of it, hashes it and stores it like any other blob, since a bucket takes whatever is sent.
 *
 * A link for downloading holds for its time, also when the room lets go of the blob meanwhile.
 */
import { BlobError, type BlobHash, type BlobUrl, type BlobUrls, type RoomId, type Store } from '@weft/core';
import type { S3Bucket } from '../../s3/bucket.js';
import { headOf, readObject, sizeIn } from '../../s3/objects.js';

const PUT_SECONDS = 15 * 60;
const GET_SECONDS = 60 * 60;

export class S3Urls implements BlobUrls {
  readonly #bucket: S3Bucket;
  readonly #store: Store;

  constructor(bucket: S3Bucket, store: Store) {
    this.#bucket = bucket;
    this.#store = store;
  }

  async forPut(room: RoomId, hash: BlobHash): Promise<BlobUrl> {
    return this.#link('PUT', incomingKey(room, hash), PUT_SECONDS, {});
  }

  async forGet(_room: RoomId, hash: BlobHash): Promise<BlobUrl> {
    // No browser is to show what somebody has uploaded.
    const asFile = {
      'response-content-type': 'application/octet-stream',
      'response-content-disposition': 'attachment',
    };
    return this.#link('GET', `blobs/${hash}`, GET_SECONDS, asFile);
  }

  async claim(room: RoomId, hash: BlobHash): Promise<void> {
    const key = incomingKey(room, hash);
    const size = sizeIn(await headOf(this.#bucket, key, 'a blob'));
    if (size === undefined) return;
    const { blobs } = this.#store;
    try {
      await blobs.put(hash, readObject(this.#bucket, { key, from: 0, to: size, kind: 'a blob' }), size);
      await blobs.stage(room, hash);
    } catch (error) {
      if (!(error instanceof BlobError)) throw error; // and it can be announced again
    }
    await this.#bucket.ask('tidy up', { method: 'DELETE', key });
  }

  async #link(method: 'GET' | 'PUT', key: string, seconds: number, query: Record<string, string>): Promise<BlobUrl> {
    const expiresAtUnix = Math.floor(Date.now() / 1000) + seconds;
    return { url: await this.#bucket.sign(method, key, seconds, query), expiresAtUnix };
  }
}

function incomingKey(room: RoomId, hash: BlobHash): string {
  return `incoming/${room}/${hash}`;
}
