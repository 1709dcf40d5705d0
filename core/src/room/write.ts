import type { BlobRef } from '../crdt/registers.js';

/** One change of one register: a value, of which `undefined` deletes the key, or what another register holds, as it is. */
export type Write =
  | { readonly key: string; readonly value: unknown }
  | { readonly key: string; readonly held: Uint8Array | BlobRef | undefined };
