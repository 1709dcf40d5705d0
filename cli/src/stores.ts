/** The stores that the options name: of rooms, of the bytes of blobs, of archives. */
import type { ArchiveOptions, Store } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { type Config, type S3Blobs, s3Blobs } from '@weft/server';
import { UsageError } from './define.js';

export function openStore(place: string, blobs: S3Blobs | undefined): Store {
  if (place !== 'memory') return levelStore(place, { blobBytes: blobs?.bytes });
  if (blobs) throw new UsageError('blob-store: a store in memory keeps its blobs there too');
  return memoryStore();
}

/** Undefined when blobs are files of the data folder. */
export function s3Of(config: Config): S3Blobs | undefined {
  const { 'blob-store': place, 'blob-access-key': accessKey, 'blob-secret-key': secretKey } = config;
  if (place === 'folder') return undefined;
  if (accessKey !== undefined && secretKey !== undefined) return s3Blobs(place, { accessKey, secretKey });
  throw new UsageError('blob-store: a bucket needs its keys: WEFT_BLOB_ACCESS_KEY and WEFT_BLOB_SECRET_KEY');
}

export function archivesOf({ 'archive-root': root, 'archive-trust': trusted = [] }: Config): ArchiveOptions {
  return { stores: root === undefined ? {} : { file: folderArchives(root) }, trusted };
}
