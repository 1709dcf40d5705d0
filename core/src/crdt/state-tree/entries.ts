/** Paths and leaf hashes, 64 bytes each, end to end: what is set in a state tree. */
import { LEAF_BYTES } from './node-body.js';

export class Entries {
  readonly bytes: Uint8Array;
  /** The memory of `bytes` as words: a faster way to copy it. */
  readonly words: Int32Array;

  constructor(count: number) {
    this.bytes = new Uint8Array(count * LEAF_BYTES);
    this.words = new Int32Array(this.bytes.buffer);
  }
}
