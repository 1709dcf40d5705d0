/**
 * Presigned URLs, which the bucket itself honours. An upload waits under another name until it is announced; then the server
 * reads all of it, hashes it and stores it like any other blob, since a bucket takes whatever is sent; of the size alone the
 * link itself is sure.
 *
 * A link for downloading holds for its time, also when the room lets go of the blob meanwhile.
 */
import {
  type BlobClaim,
  BlobError,
  type BlobHash,
  type BlobPlace,
  type BlobUrl,
  type BlobUrls,
  LIMITS,
  type Limits,
  Rejection,
  type RoomId,
  type Store,
  type Telemetry,
  type UploadDetails,
  type UploadFault,
  systemClock,
  takeBlobSpace,
} from '@weft/core';
import type { S3Bucket } from '../../s3/bucket.js';
import { headOf, readObject, sizeIn } from '../../s3/objects.js';
import { Uploads } from '../uploads.js';

const PUT_SECONDS = 15 * 60;
const GET_SECONDS = 60 * 60;

/** Bounds on what comes by links, as the host has them; the engine's own without. */
export interface UrlBounds {
  readonly limits?: Limits;
  readonly telemetry?: Telemetry | undefined;
}

export class S3Urls implements BlobUrls {
  readonly #bucket: S3Bucket;
  readonly #store: Store;
  readonly #bounds: Pick<BlobPlace, 'limits' | 'telemetry'>;
  readonly #uploads = new Uploads(systemClock);

  constructor(bucket: S3Bucket, store: Store, bounds: UrlBounds = {}) {
    const { limits = LIMITS, telemetry } = bounds;
    this.#bounds = { limits, telemetry };
    this.#bucket = bucket;
    this.#store = store;
  }

  async forPut(room: RoomId, hash: BlobHash, size: number, details: UploadDetails = {}): Promise<BlobUrl> {
    const { contentType } = details;
    const expires = expiryIn(PUT_SECONDS);
    const headers = { 'content-length': String(size) };
    const url = await this.#bucket.sign('PUT', incomingKey(room, hash), PUT_SECONDS, { headers });
    this.#uploads.grant(room, hash, { size, contentType, expires });
    return { url, expiresAtUnix: expires };
  }

  async forGet(room: RoomId, hash: BlobHash): Promise<BlobUrl> {
    // No browser is to show what somebody has uploaded.
    const asFile = {
      'response-content-type': (await this.#store.blobs.contentType(room, hash)) ?? 'application/octet-stream',
      'response-content-disposition': 'attachment',
    };
    const expires = expiryIn(GET_SECONDS);
    return {
      url: await this.#bucket.sign('GET', `blobs/${hash}`, GET_SECONDS, { query: asFile }),
      expiresAtUnix: expires,
    };
  }

  async claim(room: RoomId, hash: BlobHash, by?: string): Promise<UploadFault | undefined> {
    const key = incomingKey(room, hash);
    const size = sizeIn(await headOf(this.#bucket, key, 'a blob'));
    if (size === undefined) return this.#uploads.faultOf(room, hash);
    const granted = this.#uploads.granted(room, hash);
    const fault = size > (granted?.size ?? size) ? 'too-large' : await this.#take({ room, hash, size, by });
    await this.#bucket.ask('tidy up', { method: 'DELETE', key });
    return fault;
  }

  /** Takes in what was uploaded; answers what is wrong with it. */
  async #take(claim: BlobClaim): Promise<UploadFault | undefined> {
    const { room, hash, size, by } = claim;
    const { blobs } = this.#store;
    let leave: () => void = () => undefined;
    const bytes = readObject(this.#bucket, { key: incomingKey(room, hash), from: 0, to: size, kind: 'a blob' });
    try {
      leave = await takeBlobSpace({ blobs, ...this.#bounds }, claim);
      await blobs.put(hash, bytes, size);
      await blobs.stage(room, hash, this.#uploads.granted(room, hash)?.contentType, by);
      this.#uploads.forget(room, hash);
      return undefined;
    } catch (error) {
      if (error instanceof BlobError) return error.fault;
      if (error instanceof Rejection) return 'full';
      throw error; // and it can be announced again
    } finally {
      leave();
    }
  }
}

function expiryIn(seconds: number): number {
  return Math.floor(systemClock.now() / 1000) + seconds;
}

function incomingKey(room: RoomId, hash: BlobHash): string {
  return `incoming/${room}/${hash}`;
}
