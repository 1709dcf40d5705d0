/** Blobs in a bucket: their bytes for the store, and links to them for the engine. */
import type { BlobBytes, BlobUrls, Store } from '@weft/core';
import { S3Bucket, type S3Keys } from '../../s3/bucket.js';
import { parseS3Location } from '../../s3/location.js';
import { S3Bytes } from './bytes.js';
import { S3Urls, type UrlBounds } from './urls.js';

export interface S3Blobs {
  readonly bytes: BlobBytes;
  urls(store: Store, bounds?: UrlBounds): BlobUrls;
}

/** Blobs at an address such as `s3://bucket/prefix?endpoint=https://…&region=…`. */
export function s3Blobs(address: string, keys: S3Keys): S3Blobs {
  const bucket = new S3Bucket(parseS3Location(address), keys);
  return { bytes: new S3Bytes(bucket), urls: (store, bounds) => new S3Urls(bucket, store, bounds) };
}
