/** A store that lives and dies with the process: for tests, previews and rooms that need no disk. */
import type { Store } from '../../ports/store.js';
import { MemoryBlobs } from './memory-blobs.js';
import { MemoryImages } from './memory-images.js';
import { MemoryLog } from './memory-log.js';

export interface MemoryStoreOptions {
  /** The most that all blobs together may have. */
  readonly blobBytes?: number;
}

const BLOB_BYTES = 256 * 1024 * 1024;

export function memoryStore({ blobBytes = BLOB_BYTES }: MemoryStoreOptions = {}): Store {
  const seed = globalThis.crypto.getRandomValues(new Uint8Array(32));
  return {
    log: new MemoryLog(),
    blobs: new MemoryBlobs(blobBytes),
    images: new MemoryImages(),
    open: () => Promise.resolve(),
    authoritySeed: () => Promise.resolve(seed),
    close: () => Promise.resolve(),
  };
}
