/** Gauge of the bytes of all blobs: what was known when somebody looked last, who thereby has it looked at again. */
import type { BlobStore } from '../ports/blob-store.js';

export class StoredBlobs {
  readonly #blobs: () => BlobStore;
  readonly #onFault: (error: unknown) => void;
  #last = 0;
  #isLooking = false;

  constructor(blobs: () => BlobStore, onFault: (error: unknown) => void) {
    this.#blobs = blobs;
    this.#onFault = onFault;
  }

  get bytes(): number {
    if (!this.#isLooking) this.look().catch(this.#onFault);
    return this.#last;
  }

  async look(): Promise<void> {
    this.#isLooking = true;
    try {
      this.#last = await this.#blobs().stored();
    } finally {
      this.#isLooking = false;
    }
  }
}
