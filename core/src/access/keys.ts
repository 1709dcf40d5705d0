/** Key pairs as text: JSON-safe, and what key files hold. */
import { toHex } from '../codec/bytes/bytes.js';

export interface KeyPair {
  /** Ed25519 public key, 64 hex characters. */
  readonly publicKey: string;
  /** The secret: an Ed25519 seed, 64 hex characters. */
  readonly seed: string;
}

export function makeKeys(publicKeyOf: (seed: Uint8Array) => string): KeyPair {
  const seed = globalThis.crypto.getRandomValues(new Uint8Array(32));
  return { publicKey: publicKeyOf(seed), seed: toHex(seed) };
}
