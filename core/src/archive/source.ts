/** Something that an archive is, or could be made of: a file, or a room of this server. */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { About } from './manifest.js';

export interface ArchivedBlob {
  readonly hash: BlobHash;
  readonly size: number;
  /** Content of the blob, to be read once, or not at all. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface ArchiveSource {
  readonly about: About;
  /** Nodes in the order of the log: packs that each stand on those before. */
  packs(): AsyncIterable<Uint8Array>;
  /** All values, signed. */
  snapshot(): Promise<Uint8Array>;
  /** All blobs, in the order of their hashes. */
  blobs(): AsyncIterable<ArchivedBlob>;
}
