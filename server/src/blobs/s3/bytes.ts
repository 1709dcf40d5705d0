/**
 * Bytes of blobs as objects of a bucket:
 *
 *   <prefix>blobs/<hash>            a blob
 *   <prefix>incoming/<room>/<hash>  what a peer has uploaded by a link and nobody has looked at
 *
 * What is longer than one part comes in parts, and is to be found when its last part has been put to the others. A part
 * is what a transfer holds in memory.
 */
import { createHash } from 'node:crypto';
import { type BlobBytes, type BlobDraft, type BlobHash, parseBlobHash } from '@weft/core';
import type { S3Bucket } from './bucket.js';
import { field, list } from './listing.js';

/** The service takes parts of 5 MiB to 5 GiB, and ten thousand of them. */
const PART_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const READS = 4;
const DAY_MS = 86_400_000;

export class S3Bytes implements BlobBytes {
  readonly #bucket: S3Bucket;
  readonly #partBytes: number;

  constructor(bucket: S3Bucket, partBytes = PART_BYTES) {
    this.#bucket = bucket;
    this.#partBytes = partBytes;
  }

  /** Uploads by links that nobody has announced for a day too. */
  async removeLeftovers(): Promise<void> {
    for await (const { key, uploadId } of this.#unfinished()) await this.#abort(key, uploadId);
    for await (const { key, changed } of list(this.#bucket, 'incoming/')) {
      if (Date.now() - changed > DAY_MS) await this.#bucket.ask('tidy up', { method: 'DELETE', key });
    }
  }

  async draft(hash: BlobHash, bytes: AsyncIterable<Uint8Array>): Promise<BlobDraft> {
    const parts = new Parts(this.#bucket, keyOf(hash));
    try {
      let size = 0;
      for await (const part of inParts(bytes, this.#partBytes)) {
        size += part.length;
        await parts.add(part, part.length < this.#partBytes);
      }
      return { size, place: () => parts.finish(), discard: () => parts.abandon() };
    } catch (error) {
      await parts.abandon();
      throw error;
    }
  }

  async *read(hash: BlobHash, from: number, to: number): AsyncGenerator<Uint8Array> {
    yield* readObject(this.#bucket, keyOf(hash), from, to);
  }

  async size(hash: BlobHash): Promise<number | undefined> {
    const length = (await this.#head(hash))?.get('content-length');
    return length === undefined || length === null ? undefined : Number(length);
  }

  async touched(hash: BlobHash): Promise<number | undefined> {
    const changed = (await this.#head(hash))?.get('last-modified');
    return changed === undefined || changed === null ? undefined : Date.parse(changed);
  }

  /** A copy onto itself: there is no other way to change an object's time. */
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

  async *all(): AsyncGenerator<BlobHash> {
    for await (const { key } of list(this.#bucket, 'blobs/')) {
      const hash = parseBlobHash(key.slice('blobs/'.length));
      if (hash) yield hash;
    }
  }

  async #head(hash: BlobHash): Promise<Headers | undefined> {
    return headOf(this.#bucket, keyOf(hash));
  }

  /** Uploads in parts that a crash has left. Not every service lists them; then its own rules have to end them. */
  async *#unfinished(): AsyncGenerator<{ readonly key: string; readonly uploadId: string }> {
    const { prefix } = this.#bucket.location;
    const query = { uploads: '', prefix: `${prefix}blobs/` };
    const response = await this.#bucket.send('tidy up', { method: 'GET', query }).catch(() => undefined);
    if (!response?.ok) return;
    for (const [, upload = ''] of (await response.text()).matchAll(/<Upload>(.*?)<\/Upload>/gs)) {
      const [key, uploadId] = [field(upload, 'Key'), field(upload, 'UploadId')];
      if (key !== undefined && uploadId !== undefined) yield { key: key.slice(prefix.length), uploadId };
    }
  }

  async #abort(key: string, uploadId: string): Promise<void> {
    await this.#bucket.send('tidy up', { method: 'DELETE', key, query: { uploadId } });
  }
}

export async function headOf(bucket: S3Bucket, key: string): Promise<Headers | undefined> {
  const response = await bucket.send('look at a blob', { method: 'HEAD', key });
  if (response.ok) return response.headers;
  if (response.status === 404) return undefined;
  throw await bucket.refused('look at a blob', response);
}

/** A connection that breaks in the middle is taken up where it broke. */
export async function* readObject(bucket: S3Bucket, key: string, from: number, to: number): AsyncGenerator<Uint8Array> {
  let at = from;
  for (let failures = 0; at < to;) {
    const before = at;
    const headers = { range: `bytes=${at}-${to - 1}` };
    const response = await bucket.ask('read a blob', { method: 'GET', key, headers });
    try {
      for await (const bytes of response.body ?? []) {
        for (let start = 0; start < bytes.length && at < to; start += CHUNK_BYTES) {
          // Some services send more than was asked for.
          const chunk = bytes.slice(start, start + Math.min(CHUNK_BYTES, to - at));
          at += chunk.length;
          yield chunk;
        }
        if (at >= to) break;
      }
    } catch (error) {
      failures = at > before ? 1 : failures + 1;
      if (failures >= READS) throw bucket.failed('read a blob', 'the connection breaks again and again', error);
      continue;
    }
    if (at < to) throw bucket.failed('read a blob', 'it is cut short; upload it again');
  }
}

/** One blob on its way in. */
class Parts {
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #tags: string[] = [];
  #uploadId: string | undefined;
  /** All of it, when that is no more than one part. */
  #whole: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(bucket: S3Bucket, key: string) {
    this.#bucket = bucket;
    this.#key = key;
  }

  async add(part: Uint8Array<ArrayBuffer>, isLast: boolean): Promise<void> {
    if (isLast && this.#uploadId === undefined) {
      this.#whole = part;
      return;
    }
    this.#uploadId ??= await this.#begin();
    const query = { partNumber: String(this.#tags.length + 1), uploadId: this.#uploadId };
    const response = await this.#put(part, query);
    this.#tags.push(response.headers.get('etag') ?? '');
  }

  async finish(): Promise<void> {
    if (this.#uploadId === undefined) return void (await this.#put(this.#whole));
    const parts = this.#tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const query = { uploadId: this.#uploadId };
    const response = await this.#bucket.ask('store a blob', { method: 'POST', key: this.#key, query, body });
    const text = await response.text();
    // It may begin with 200 before it knows.
    if (text.includes('<Error>')) throw this.#bucket.failed('store a blob', field(text, 'Code') ?? 'no reason given');
  }

  async abandon(): Promise<void> {
    this.#whole = new Uint8Array(0);
    if (this.#uploadId === undefined) return;
    const query = { uploadId: this.#uploadId };
    // What stays goes with the next start.
    await this.#bucket.send('give up a blob', { method: 'DELETE', key: this.#key, query }).catch(() => undefined);
  }

  async #begin(): Promise<string> {
    const response = await this.#bucket.ask('store a blob', { method: 'POST', key: this.#key, query: { uploads: '' } });
    const uploadId = field(await response.text(), 'UploadId');
    if (uploadId === undefined) throw this.#bucket.failed('store a blob', 'the service names no upload');
    return uploadId;
  }

  async #put(body: Uint8Array<ArrayBuffer>, query: Readonly<Record<string, string>> = {}): Promise<Response> {
    // Signed with the bytes, so that the service refuses what has changed on its way.
    const headers = { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') };
    const response = await this.#bucket.ask('store a blob', { method: 'PUT', key: this.#key, query, headers, body });
    await response.body?.cancel();
    return response;
  }
}

/** The same bytes in pieces of one length, but for the last, which is shorter; an empty one when there is nothing left. */
async function* inParts(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length;) {
      const piece = chunk.slice(start, start + length - size);
      waiting.push(piece);
      size += piece.length;
      start += piece.length;
      if (size < length) continue;
      yield joined(waiting, size);
      [waiting, size] = [[], 0];
    }
  }
  yield joined(waiting, size);
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function keyOf(hash: BlobHash): string {
  if (!parseBlobHash(hash)) throw new TypeError('the name of a blob is 64 lower-case hex characters');
  return `blobs/${hash}`;
}
