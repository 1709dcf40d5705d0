/** Objects of a bucket: ranged reads, and multipart uploads. Errors name the kind of object, such as "a blob". */
import { createHash } from 'node:crypto';
import type { S3Bucket } from './bucket.js';
import { field } from './listing.js';

/** Size of a part. Services take parts of 5 MiB to 5 GiB, ten thousand of them; a transfer holds one in memory. */
export const PART_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const READS = 4;

/** Headers of an object; undefined when there is none. `kind` is like "a blob". */
export async function headOf(bucket: S3Bucket, key: string, kind: string): Promise<Headers | undefined> {
  const response = await bucket.send(`look at ${kind}`, { method: 'HEAD', key });
  if (response.ok) return response.headers;
  if (response.status === 404) return undefined;
  throw await bucket.refused(`look at ${kind}`, response);
}

export function sizeIn(headers: Headers | undefined): number | undefined {
  const length = headers?.get('content-length');
  return length === undefined || length === null ? undefined : Number(length);
}

export interface ObjectPart {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  /** Kind of object for errors, like "a blob". */
  readonly kind: string;
  /** ETag of the object that is meant: another one in its place is not read. */
  readonly tag?: string | undefined;
}

/** Bytes of an object in chunks of at most 1 MiB. A read whose connection breaks is resumed where it broke. */
export async function* readObject(bucket: S3Bucket, part: ObjectPart): AsyncGenerator<Uint8Array> {
  const { key, from, to, kind, tag } = part;
  const doing = `read ${kind}`;
  let at = from;
  for (let failures = 0; at < to;) {
    const before = at;
    const headers = { range: `bytes=${at}-${to - 1}`, ...(tag === undefined ? {} : { 'if-match': tag }) };
    const response = await bucket.send(doing, { method: 'GET', key, headers });
    if (response.status === 412) throw bucket.failed(doing, 'it was replaced meanwhile; begin again');
    if (!response.ok) throw await bucket.refused(doing, response);
    try {
      for await (const bytes of response.body ?? []) {
        for (let start = 0; start < bytes.length && at < to; start += CHUNK_BYTES) {
          // Cut to the range: some services send more than was asked for.
          const chunk = bytes.slice(start, start + Math.min(CHUNK_BYTES, to - at));
          at += chunk.length;
          yield chunk;
        }
        if (at >= to) break;
      }
    } catch (error) {
      failures = at > before ? 1 : failures + 1;
      if (failures >= READS) throw bucket.failed(doing, 'the connection breaks again and again', error);
      continue;
    }
    if (at < to) throw bucket.failed(doing, 'it is cut short; upload it again');
  }
}

/**
 * Upload of an object. One that is longer than a part goes as a multipart upload, and is visible when that is completed.
 */
export class Upload {
  /** Bytes received so far. */
  size = 0;
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #kind: string;
  readonly #tags: string[] = [];
  #uploadId: string | undefined;
  /** Content, when it is no longer than one part. */
  #whole: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  private constructor(bucket: S3Bucket, key: string, kind: string) {
    [this.#bucket, this.#key, this.#kind] = [bucket, key, kind];
  }

  /** Upload of `bytes`; when they break off, nothing stays. */
  static async of(
    bucket: S3Bucket,
    { key, kind, partBytes = PART_BYTES }: { readonly key: string; readonly kind: string; readonly partBytes?: number },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<Upload> {
    const upload = new Upload(bucket, key, kind);
    try {
      for await (const part of inParts(bytes, partBytes)) await upload.#add(part, part.length < partBytes);
      return upload;
    } catch (error) {
      await upload.abandon();
      throw error;
    }
  }

  /** Completes the upload: the object is visible, in the place of one that was there. */
  async finish(): Promise<void> {
    if (this.#uploadId === undefined) return void (await this.#put(this.#whole));
    const parts = this.#tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const query = { uploadId: this.#uploadId };
    const response = await this.#bucket.ask(this.#storing, { method: 'POST', key: this.#key, query, body });
    const text = await response.text();
    // An answer may begin with 200 and still end in an error.
    if (text.includes('<Error>')) throw this.#bucket.failed(this.#storing, field(text, 'Code') ?? 'no reason given');
  }

  async abandon(): Promise<void> {
    this.#whole = new Uint8Array(0);
    // A failure is ignored: `endUploads` tidies up later.
    if (this.#uploadId !== undefined) await endUpload(this.#bucket, this.#key, this.#uploadId).catch(() => undefined);
  }

  get #storing(): string {
    return `store ${this.#kind}`;
  }

  async #add(part: Uint8Array<ArrayBuffer>, isLast: boolean): Promise<void> {
    this.size += part.length;
    if (isLast && this.#uploadId === undefined) {
      this.#whole = part;
      return;
    }
    this.#uploadId ??= await this.#begin();
    const query = { partNumber: String(this.#tags.length + 1), uploadId: this.#uploadId };
    const response = await this.#put(part, query);
    this.#tags.push(response.headers.get('etag') ?? '');
  }

  async #begin(): Promise<string> {
    const response = await this.#bucket.ask(this.#storing, { method: 'POST', key: this.#key, query: { uploads: '' } });
    const uploadId = field(await response.text(), 'UploadId');
    if (uploadId === undefined) throw this.#bucket.failed(this.#storing, 'the service names no upload');
    return uploadId;
  }

  async #put(body: Uint8Array<ArrayBuffer>, query: Readonly<Record<string, string>> = {}): Promise<Response> {
    // Signed with the bytes, so that the service refuses what has changed on its way.
    const headers = { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') };
    const response = await this.#bucket.ask(this.#storing, { method: 'PUT', key: this.#key, query, headers, body });
    await response.body?.cancel();
    return response;
  }
}

/**
 * Aborts multipart uploads that a crash has left. Not every service lists them; then its own rules have to end them.
 */
export async function endUploads(bucket: S3Bucket, under: string, olderThanMs: number): Promise<void> {
  const { prefix } = bucket.location;
  const query = { uploads: '', prefix: prefix + under };
  const response = await bucket.send('tidy up', { method: 'GET', query }).catch(() => undefined);
  if (!response?.ok) return void (await response?.body?.cancel());
  for (const [, upload = ''] of (await response.text()).matchAll(/<Upload>(.*?)<\/Upload>/gs)) {
    const [key, uploadId] = [field(upload, 'Key'), field(upload, 'UploadId')];
    const age = Date.now() - Date.parse(field(upload, 'Initiated') ?? '');
    if (key === undefined || uploadId === undefined || age < olderThanMs) continue;
    await endUpload(bucket, key.slice(prefix.length), uploadId);
  }
}

async function endUpload(bucket: S3Bucket, key: string, uploadId: string): Promise<void> {
  const response = await bucket.send('tidy up', { method: 'DELETE', key, query: { uploadId } });
  await response.body?.cancel();
}

/** Bytes cut into pieces of one length; the last piece is shorter, and empty when nothing is left. */
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
