/** A key pair, and nothing else: for what makes keys and leaves the rest for later. */
import { type KeyPair, makeKeys } from './access/keys.js';
import { defaultCrypto } from './adapters/crypto/default.js';

/** A new pair of keys: who signs with it is whoever has its public key. */
export function generateKeys(): KeyPair {
  return makeKeys((seed) => defaultCrypto.signer(seed).publicKey);
}

export type { KeyPair } from './access/keys.js';
