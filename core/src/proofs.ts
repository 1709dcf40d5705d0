/** Checking of proofs, for who has a room's authority key and nothing else of the room. A page loads it where it needs it. */
import { peerKeys } from './adapters/crypto/peer-keys.js';
import { type Trusted, ValueProofs } from './crdt/value-tree/verify-values.js';
import type { Verifying } from './ports/crypto.js';

/** Checks what `values.prove` and `values.prove-part` answer of one room; with Ed25519 of the caller's, if there is one. */
export async function valueProofs(trusted: Trusted, crypto?: Verifying): Promise<ValueProofs> {
  return new ValueProofs(crypto ?? (await peerKeys()), trusted);
}

export { type ProvenRow, rowsOfEntries } from './query/proven-projection.js';
export { verifyRegister } from './crdt/verify.js';
export type { SignedValueRoot, ValueRoot } from './crdt/value-tree/value-root.js';
export type {
  ProvenEntry,
  ProvenPage,
  ProvenPart,
  ProvenSpan,
  Trusted,
  ValueProof,
  ValueProofs,
} from './crdt/value-tree/verify-values.js';
