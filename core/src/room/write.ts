import type { BlobRef } from '../crdt/registers.js';

/** One change of one register; `value: undefined` deletes the key. */
export interface Write {
  readonly key: string;
  readonly value: unknown;
}

/** The same with what another register holds, as it is. */
export interface HeldWrite {
  readonly key: string;
  readonly held: Uint8Array | BlobRef | undefined;
}
