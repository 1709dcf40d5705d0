import { toHex } from '../../codec/bytes/bytes.js';
import { defaultCrypto } from './default.js';
import type { PeerKeys } from './web.js';

/** Keys and signatures where the platform has none: a module to be loaded when that is known. */
export const defaultKeys: PeerKeys = {
  ...defaultCrypto,
  generateKeys() {
    const seed = globalThis.crypto.getRandomValues(new Uint8Array(32));
    return Promise.resolve({ publicKey: defaultCrypto.signer(seed).publicKey, seed: toHex(seed) });
  },
};
