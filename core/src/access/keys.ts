/** Key pairs as text: JSON-safe, and what key files hold. */
import { toHex } from '../codec/bytes/bytes.js';
import type { PlatformKey } from '../ports/crypto.js';

export interface KeyPair {
  /** Ed25519 public key, 64 hex characters. */
  readonly publicKey: string;
  /** The secret: an Ed25519 seed, 64 hex characters. Empty where `signing` stands for it. */
  readonly seed: string;
  /** The secret of a key that a page has made, as the platform keeps it: nobody can read it. */
  readonly signing?: PlatformKey | undefined;
  /** A subject's mandate that takes this key for one of its own, in hex: what it writes in a room from its first node on is the subject's. [SU1] */
  readonly delegation?: string | undefined;
}

export function makeKeys(publicKeyOf: (seed: Uint8Array) => string): KeyPair {
  const seed = globalThis.crypto.getRandomValues(new Uint8Array(32));
  return { publicKey: publicKeyOf(seed), seed: toHex(seed) };
}
