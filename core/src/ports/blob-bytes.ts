/**
 * Where the bytes of blobs are, by their hashes, for a store that keeps its inventory elsewhere. Which room has what, and
 * who may do what when, is decided above. Blobs of one hash may be drafted side by side; the rest comes one by one for each.
 */
import type { BlobHash } from '../codec/bytes/blob-hash.js';

/** A blob that is whole and durable, and not to be found by its hash yet. */
export interface BlobDraft {
  readonly size: number;
  /** Puts the blob where it is found, instead of one that was there. */
  place(): Promise<void>;
  discard(): Promise<void>;
}

export interface BlobBytes {
  /** Removes what a crash has left of drafts. */
  removeLeftovers(): Promise<void>;
  /** `bytes` are what the hash says once they have come to their end; when they break off, nothing of them stays. */
  draft(hash: BlobHash, bytes: AsyncIterable<Uint8Array>): Promise<BlobDraft>;
  /** Bytes [from, to), in chunks of at most 1 MiB. Nothing is held open before, nor afterwards. */
  read(hash: BlobHash, from: number, to: number): AsyncIterable<Uint8Array>;
  size(hash: BlobHash): Promise<number | undefined>;
  /** Unix milliseconds at which it was put or touched last. */
  touched(hash: BlobHash): Promise<number | undefined>;
  touch(hash: BlobHash): Promise<void>;
  remove(hash: BlobHash): Promise<boolean>;
  /** Bytes of all blobs. It may have to look at each. */
  total(): Promise<number>;
  /** All blobs, in the order of their hashes. */
  all(): AsyncIterable<BlobHash>;
}
