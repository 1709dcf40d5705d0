/** What a reader needs to check a proof: the bytes, the hash that it trusts, and what it was told. */
import { equalBytes, fromHex } from '../codec/bytes/bytes.js';
import type { BlobRef } from './registers.js';
import { pathOf, registerLeaf } from './state-leaf.js';
import { verifyProof } from './state-tree/proof.js';

/**
 * Whether `proof` shows that under `stateHash` (64 hex characters) the register of `key` holds exactly these
 * MessagePack bytes or this blob, or, for undefined, that nothing is there. [SH2]
 */
export function verifyRegister(
  proof: Uint8Array,
  stateHash: string,
  key: string,
  value: Uint8Array | BlobRef | undefined,
): boolean {
  const proven = verifyProof(proof, pathOf('register', key), fromHex(stateHash));
  if (!proven) return false;
  if (!proven.present) return value === undefined;
  return value !== undefined && equalBytes(proven.leaf, registerLeaf(key, value));
}
