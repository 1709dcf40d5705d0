/**
 * Signatures of a simulation: at once, on this thread, and cheap. Nobody can sign without a seed that was handed to `signer`,
 * so what nobody signed is refused, as it is by Ed25519; who compares the two verdicts are the tests of the adapters.
 */
import { createHash } from 'node:crypto';
import { type Crypto, type Signer, fromHex, toHex } from '@weft/core';

export function seededCrypto(): Crypto {
  const seeds = new Map<string, string>();
  const signer = (seed: Uint8Array): Signer => {
    const secret = toHex(seed);
    const publicKey = digest('key', secret);
    seeds.set(publicKey, secret);
    return { publicKey, sign: (message) => Promise.resolve(signature(secret, message)) };
  };
  return {
    signer,
    signerOf: ({ seed }) => signer(fromHex(seed)),
    isPublicKey: (text) => /^[0-9a-f]{64}$/.test(text) && text !== '0'.repeat(64),
    verify(publicKey, message, given) {
      const secret = seeds.get(publicKey);
      if (secret === undefined) return Promise.resolve(false);
      return Promise.resolve(toHex(signature(secret, message)) === toHex(given));
    },
  };
}

function signature(secret: string, message: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha512').update(secret).update(message).digest());
}

function digest(purpose: string, text: string): string {
  return createHash('sha256').update(purpose).update(fromHex(text)).digest('hex');
}
