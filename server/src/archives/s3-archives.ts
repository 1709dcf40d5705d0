/**
 * Archive store in a bucket: `object://<bucket>/<key>` is that very object, below the prefix that the operator has named and
 * nowhere else. Reading stops when the object is replaced meanwhile.
 */
import { type ArchiveFile, ArchiveNameError, type ArchiveStore, isArchiveName } from '@weft/core';
import { S3Bucket, type S3Keys } from '../s3/bucket.js';
import { parseS3Location } from '../s3/location.js';
import { PART_BYTES, Upload, endUploads, headOf, readObject, sizeIn } from '../s3/objects.js';

const DAY_MS = 86_400_000;
const kind = 'an archive';

/** Archive store at an address such as `s3://bucket/prefix?endpoint=https://…&region=…`. */
export function s3Archives(address: string, keys: S3Keys): ArchiveStore {
  return new S3Archives(new S3Bucket(parseS3Location(address), keys));
}

export class S3Archives implements ArchiveStore {
  readonly #bucket: S3Bucket;
  readonly #partBytes: number;

  constructor(bucket: S3Bucket, partBytes = PART_BYTES) {
    this.#bucket = bucket;
    this.#partBytes = partBytes;
  }

  async open(name: string): Promise<ArchiveFile | undefined> {
    const [bucket, key] = [this.#bucket, this.#keyOf(name)];
    const headers = await headOf(bucket, key, kind);
    const size = sizeIn(headers);
    if (size === undefined) return undefined;
    const tag = headers?.get('etag') ?? undefined;
    return {
      size,
      read: (from, to) => readObject(bucket, { key, from, to, kind, tag }),
      close: () => Promise.resolve(),
    };
  }

  /**
   * Multipart upload, since nobody knows how long the archive becomes. Parts that a crash leaves behind go after a day.
   */
  async put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const key = this.#keyOf(name);
    await endUploads(this.#bucket, '', DAY_MS);
    const upload = await Upload.of(this.#bucket, { key, kind, partBytes: this.#partBytes }, bytes);
    await upload.finish();
  }

  #keyOf(name: string): string {
    const { bucket, prefix } = this.#bucket.location;
    const place = `${bucket}/${prefix}`;
    if (!name.startsWith(place)) throw new ArchiveNameError(`archives of this server are below object://${place}`);
    const key = name.slice(place.length);
    if (isArchiveName(key)) return key;
    throw new ArchiveNameError('a name is a path of letters, digits and - _ . ~ + = @');
  }
}
