/** A write: one change of one register; `value: undefined` deletes the key. */
import type { BlobRef } from '../../crdt/registers.js';

export interface Write {
  readonly key: string;
  readonly value: unknown;
}

/** A write of what some other register holds, as it is. */
export interface HeldWrite {
  readonly key: string;
  readonly held: Uint8Array | BlobRef | undefined;
}
